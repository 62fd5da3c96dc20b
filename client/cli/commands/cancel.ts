import type { Command } from 'commander'
import { UsageError } from '../problems.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { printLine } from '../terminal/stdout.ts'

export const addCancel = (program: Command): Command =>
  program
    .command('cancel')
    .summary('cancel a running job or batch')
    .description('Cancels a job or a batch that has not ended. A canceled job costs nothing.')
    .argument('<id>', 'imp_…, trn_… or bat_…')
    .addHelpText('after', '\nExample:\n  haul cancel imp_01HXYZ')
    .action(cancel)

const cancel = async (id: string, options: OutputOptions): Promise<void> => {
  const session = await openSession(options)
  const canceled = id.startsWith('bat_') ? await cancelBatch(session, id) : await cancelJob(session, id)
  await session.print(canceled, () => printLine(`${id} is canceled.`))
}

const cancelJob = async ({ haul, signal }: Session, id: string) => {
  const job = await haul.jobs.cancel(id, { signal })
  if (job.code !== 'CANCELED') throw new UsageError(`${id} has ended already: ${job.status}.`)
  return job
}

const cancelBatch = async ({ haul, signal }: Session, id: string) => {
  const { status } = await haul.batches.get(id, { signal })
  if (status !== 'queued' && status !== 'running') throw new UsageError(`${id} has ended already: ${status}.`)
  return haul.batches.cancel(id, { signal })
}
