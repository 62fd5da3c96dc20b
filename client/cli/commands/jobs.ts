import type { Command } from 'commander'
import type { Haul, JobInList } from '../../src/index.ts'
import type { RequestQuery } from '../../src/options.ts'
import { UsageError } from '../exit-codes.ts'
import { parseLimit, parseMetadata, timeOption } from '../options.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { printLine } from '../terminal/output.ts'
import { dollarsText, localTime } from '../terminal/quantities.ts'
import { tableLines } from '../terminal/table.ts'

interface Options extends OutputOptions {
  status?: string
  type?: string
  search?: string
  metadata?: Record<string, string>
  after?: string
  before?: string
  limit: number
}

interface Page {
  jobs: JobInList[]
  nextCursor: string | null
}

export const addJobs = (program: Command): Command =>
  program
    .command('jobs')
    .summary('list jobs, newest first')
    .description('Lists the jobs of the account that match all options, newest first.')
    .option('--status <status>', 'only queued, running, completed or failed ones')
    .option('--type <type>', 'only import or transcription')
    .option('--search <text>', 'only with this text in the title or the URL')
    .option('--metadata <key=value>', 'only with this metadata; may be repeated', parseMetadata)
    .option('--after <time>', 'only those created then or later: 2026-11-21', timeOption('--after'))
    .option('--before <time>', 'only those created earlier: 2026-11-21T09:00', timeOption('--before'))
    .option('--limit <number>', 'the number of jobs, 100 at most', parseLimit, 20)
    .addHelpText('after', '\nExample:\n  haul jobs --status failed --metadata show=news --after 2026-11-21')
    .action(listJobs)

const listJobs = async (options: Options): Promise<void> => {
  const { haul, signal, print, tableColumns } = await openSession(options)
  const { status, type, search, metadata, after, before, limit } = options
  const filter = { status, type, q: search, metadata, after, before }
  const page = await readJobs(haul, filter, { limit, signal })
  await print(page, () => printLine(jobLines(page.jobs, tableColumns).join('\n')))
}

/** A page of the service may be short although older jobs match, so pages are read until there are as many as asked for. */
export const readJobs = async (
  haul: Haul,
  filter: RequestQuery,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): Promise<Page> => {
  const jobs: JobInList[] = []
  let cursor: string | null = null
  do {
    const query = { ...filter, limit: limit - jobs.length, cursor: cursor ?? undefined }
    const page: Page = await haul.request<Page>('GET', '/jobs', { query, signal })
    jobs.push(...page.jobs)
    cursor = page.nextCursor
  } while (cursor !== null && jobs.length < limit)
  return { jobs, nextCursor: cursor }
}

const jobLines = (jobs: readonly JobInList[], maxColumns?: number): string[] =>
  tableLines(
    [
      { title: 'Job' },
      { title: 'Status' },
      { title: 'Created' },
      { title: 'Cost', align: 'right' },
      { title: 'Title or code', isFlexible: true },
    ],
    jobs.map(({ jobId, status, createdAt, costInDollars, code, title, url }) => [
      jobId,
      status,
      localTime(createdAt),
      costInDollars === null ? '' : dollarsText(costInDollars),
      [code, title ?? url].filter((text) => text).join(' · '),
    ]),
    maxColumns,
  )

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
