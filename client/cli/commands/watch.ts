import type { Command } from 'commander'
import type { WatchRequest } from '../../src/index.ts'
import { UsageError } from '../exit-codes.ts'
import { withProgress } from '../follow-job.ts'
import { type OutputOptions, openSession } from '../session.ts'
import { addStartFlags, isEmpty, partOfItems, startFields } from '../start-flags.ts'
import { printable, printLine } from '../terminal/output.ts'

interface Options extends OutputOptions, Record<string, unknown> {
  transcribe?: true
  tell?: true
}

export const addWatch = (program: Command): Command => {
  const command = program
    .command('watch')
    .summary('import or transcribe what is new in a channel or feed')
    .description(
      'Follows a channel or feed, imports or transcribes what is new from now on, and prints the id of the watch. It goes on until it is paused or removed, which haul watches does.',
    )
    .argument('<url>', 'a feed, a channel, a playlist or a page')
    .option('--transcribe', 'transcribe instead of importing')
    .option('--tell', 'make no jobs, only events and webhooks')
  return addStartFlags(command, 'watch')
    .addHelpText(
      'after',
      '\nThe options of its jobs are those of haul batch, such as --audio and --mode.\n\nExample:\n  haul watch https://example.com/feed.xml --transcribe --first 3 --max-cost 5',
    )
    .action(startWatch)
}

const startWatch = async (url: string, options: Options): Promise<void> => {
  const request = { url, ...jobsOf(options), ...startFields('watch', options).watch } as WatchRequest
  const session = await openSession(options)
  const { haul, signal, note, print } = session
  const started = await withProgress(session, 'starting', () => haul.watches.create(request, { signal }))
  await print(started, async () => {
    note(printable(started.message))
    await printLine(printable(started.watchId))
  })
}

/** With neither `import` nor `transcribe`, the watch only tells. */
const jobsOf = (options: Options): object => {
  if (!options.tell) return partOfItems('watch', options)
  const { import: imported, transcribe } = startFields('watch', options)
  if (!options.transcribe && isEmpty(imported) && isEmpty(transcribe)) return {}
  throw new UsageError('--tell makes no jobs: it does not go with --transcribe, nor with options of jobs.')
}
