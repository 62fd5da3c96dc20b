import type { Command } from 'commander'
import type { JobInList } from '../../src/index.ts'
import { parseLimit, parseMetadata, timeOption } from '../option-values.ts'
import { type OutputOptions, openSession } from '../session.ts'
import { dollarsText, localTime } from '../terminal/quantities.ts'
import { printLine } from '../terminal/stdout.ts'
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
  const query = { status, type, q: search, metadata, after, before, limit }
  const page = await haul.request<Page>('GET', '/jobs', { query, signal })
  await print(page, async () => {
    for (const line of jobLines(page.jobs, tableColumns)) await printLine(line)
  })
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
