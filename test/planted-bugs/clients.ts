import type { TestedBug } from './planted-bug.ts'

/** Of both packages and the command line. */
export const clientBugs: Record<string, TestedBug> = {
  'the client accepts a webhook from the future': {
    path: 'client/src/webhooks.ts',
    find: 'Math.abs(age) <= TOLERANCE_SECONDS',
    instead: 'age <= TOLERANCE_SECONDS',
    foundBy: ['test/rules/client/webhooks.test.ts'],
  },
  'the client repeats a request that may have had its effect': {
    path: 'client/src/http/retry.ts',
    find: 'isRepeatable && isFault(error)',
    instead: 'isFault(error)',
    foundBy: ['test/rules/client/starts.test.ts'],
  },
  'the client keeps the last line of an event only': {
    path: 'client/src/http/read-events.ts',
    find: 'message.data === undefined ? value',
    instead: "message.data !== '' ? value",
    foundBy: ['test/rules/client/event-parser.test.ts'],
  },
  'a list of the client has more entries than its limit': {
    path: 'client/src/http/connection.ts',
    find: '    left -= found.length\n',
    instead: '',
    foundBy: ['test/rules/client/lists.test.ts'],
  },
  'a stream of events that broke goes on from now': {
    path: 'client/src/events.ts',
    find: '        last = id ?? last\n',
    instead: '',
    foundBy: ['test/rules/client/events.test.ts'],
  },
  'the command line sends its key where a downloaded folder says': {
    path: 'client/cli/connection.ts',
    find: 'connection && isLoopback(connection.baseUrl) &&',
    instead: 'connection &&',
    foundBy: ['test/rules/client/cli/connection.test.ts'],
  },
  'everybody on the machine can read the key of the command line': {
    path: 'client/cli/connection.ts',
    find: '{ mode: 0o600 })\n    await chmod(draft, 0o600)',
    instead: '{ mode: 0o644 })\n    await chmod(draft, 0o644)',
    foundBy: ['test/rules/client/cli/connection.test.ts'],
  },
  'a title writes on the terminal where it likes': {
    path: 'client/cli/terminal/output.ts',
    find: "stripVTControlCharacters(text).replace(/\\s+/g, ' ').replace(invisible, '')",
    instead: "text.replace(/\\s+/g, ' ')",
    foundBy: ['test/rules/client/cli/terminal.test.ts', 'test/rules/client/cli/outcomes.test.ts'],
  },
  'a job that needs a ceiling ends with the code of any failure': {
    path: 'client/cli/exit-codes.ts',
    find: "  'MAX_COST_REQUIRED',\n",
    instead: '',
    foundBy: ['test/rules/client/cli/outcomes.test.ts'],
  },
  'a download that broke starts again': {
    path: 'client/cli/files/download.ts',
    find: '...(from > 0 ? {',
    instead: '...(from < 0 ? {',
    foundBy: ['test/rules/client/cli/files.test.ts'],
  },
  'the client for Python accepts an old webhook': {
    path: 'python/src/haul_client/_events.py',
    find: 'abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS',
    instead: 'int(timestamp) - time.time() > TOLERANCE_SECONDS',
    foundBy: ['test/rules/python/package.test.ts'],
  },
  'an id leads the client for Python to another path': {
    path: 'python/src/haul_client/_http/request.py',
    find: "{quote(id, safe='')}",
    instead: '{id}',
    foundBy: ['test/rules/python/package.test.ts'],
  },
}
