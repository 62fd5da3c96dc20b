import type { TestedBug } from './planted-bug.ts'

/** Of the console, of Haul on one's own server, and of its deployment. */
export const serverBugs: Record<string, TestedBug> = {
  'the console shows a name for a speaker that is only spaces': {
    path: 'console/assets/transcript/speaker-names.js',
    find: "text === '' || text === label",
    instead: 'text === label',
    foundBy: ['test/rules/console/transcript/speaker-names.test.ts'],
  },
  'operators are told of failures when as many jobs complete': {
    path: 'console/ops/problems.js',
    find: 'failedCount <= completedCount',
    instead: 'failedCount < completedCount',
    foundBy: ['test/rules/console/ops/problems.test.ts'],
  },
  'the last day of the operators lacks an hour': {
    path: 'console/ops/outcomes.js',
    find: 'latest - HOURS + 1 + index',
    instead: 'latest - HOURS + index',
    foundBy: ['test/rules/console/ops/outcomes.test.ts'],
  },
  'a caller says himself from which address he comes': {
    path: 'self-host/servers/forward.ts',
    find: "lowercase === 'cf-connecting-ip' || lowercase.startsWith('mf-')",
    instead: "lowercase.startsWith('mf-')",
    foundBy: ['test/rules/self-host/forward.test.ts'],
  },
  'an engine loses its position when one lookup lacks it': {
    path: 'self-host/servers/positions.ts',
    find: 'found.includes(address) || foundBefore.includes(address)',
    instead: 'found.includes(address)',
    foundBy: ['test/rules/self-host/assignment.test.ts'],
  },
  'a page cannot read the ETag of a part that it has sent': {
    path: 'domain/uploads/part-requests.ts',
    find: ", 'access-control-expose-headers': 'ETag'",
    instead: '',
    foundBy: ['test/rules/self-host/upload-parts.test.ts'],
  },
  'a database without a migration passes for a current one': {
    path: 'self-host/worker/migrations.ts',
    find: 'names.every((name) => applied.has(name))',
    instead: 'names.some((name) => applied.has(name))',
    foundBy: ['test/rules/self-host/migrations.test.ts'],
  },
  'a rollback goes to the version that is deployed': {
    path: 'scripts/deploy/cloudflare/versions.ts',
    find: 'deployed.slice(first + 1)',
    instead: 'deployed.slice(first)',
    foundBy: ['test/further/rules/scripts/deploy/versions.test.ts'],
  },
  'an id of zeros is taken for that of a database': {
    path: 'scripts/deploy/target.ts',
    find: 'id: isPlaceholder(database.database_id) ? null : (database.database_id ?? null)',
    instead: 'id: database.database_id ?? null',
    foundBy: ['test/further/rules/scripts/deploy/target.test.ts'],
  },
  'a deployment uses an image of other files': {
    path: 'scripts/deploy/steps/image.ts',
    find: '.update(await readFile(path))',
    instead: '',
    foundBy: ['test/further/rules/scripts/deploy/image.test.ts'],
  },
}
