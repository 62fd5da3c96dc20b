import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Batch, BatchItem, BatchRequest } from '../../src/index.ts'
import { all } from '../entries.ts'
import { exitCodeOfFailure, exitCodes, Reported, UsageError } from '../exit-codes.ts'
import { withProgress } from '../follow-job.ts'
import { isHttpUrl, parseUrls } from '../options.ts'
import { openSession, type Session } from '../session.ts'
import { addStartFlags, partOfItems, type StartCommandOptions, startFields } from '../start-flags.ts'
import { printable, printJson, printLine } from '../terminal/output.ts'
import { dollarsText } from '../terminal/quantities.ts'
import { tableLines } from '../terminal/table.ts'

interface Options extends StartCommandOptions {
  transcribe?: true
  limit?: number
}

export const addBatch = (program: Command): Command => {
  const command = program
    .command('batch')
    .summary('import or transcribe many URLs')
    .description(
      'Imports or transcribes the URLs of a file (one in a line, - for stdin), or the entries of a playlist or feed. Waits until all have ended, and prints a table of those that failed or lack files.',
    )
    .argument('<urls>', 'a file of URLs, -, or the URL of a playlist or feed')
    .option('--transcribe', 'transcribe instead of importing')
  return addStartFlags(command, 'batch')
    .option('--no-wait', 'print the batch id and leave the batch running')
    .addHelpText('after', '\nExample:\n  haul batch https://example.com/feed.xml --transcribe --limit 10 --max-cost 2')
    .action(runBatch)
}

const runBatch = async (source: string, options: Options): Promise<void> => {
  const request = batchRequest(await batchSource(source, options), options)
  const session = await openSession(options)
  const { haul, signal, isJson } = session
  const started = await withProgress(session, 'starting', () => haul.batches.create(request, { signal }))
  if (!options.wait) return session.print(started, () => printLine(started.batchId))
  const { batchId } = started
  const batch = await untilEnded(session, batchId)
  const problems: BatchItem[] = []
  for (const status of ['failed', 'skipped', 'canceled'] as const) {
    problems.push(...(await all(haul.batches.items(batchId, { status, signal }))))
  }
  if (asksForFiles(request)) {
    for await (const item of haul.batches.items(batchId, { status: 'completed', signal })) {
      if (item.complete !== false) continue
      const message = `Some of its files are missing: haul ${request.transcribe ? 'transcribe' : 'import'} ${item.jobId}`
      problems.push({ ...item, code: 'INCOMPLETE', message })
    }
  }
  problems.sort((one, other) => one.index - other.index)
  if (isJson) await printJson(batch)
  else for (const line of problemLines(problems, session.tableColumns)) await printLine(line)
  session.note(summaryOf(batch))
  const exitCode = exitCodeOfBatch(batch, problems)
  if (exitCode !== exitCodes.done) throw new Reported(exitCode)
}

const asksForFiles = ({ import: imported, transcribe }: BatchRequest): boolean =>
  Boolean(imported?.captions ?? imported?.transcribe ?? imported?.files ?? transcribe?.captions)

/** Shows the counts until all items have ended. Ctrl-C cancels the batch. */
const untilEnded = async ({ haul, signal, progress, note }: Session, batchId: string): Promise<Batch> => {
  try {
    return await haul.batches.wait(batchId, { signal, onChange: (batch) => progress.show(() => countsText(batch)) })
  } catch (error) {
    if (!signal.aborted) throw error
    await haul.batches.cancel(batchId)
    note(`${batchId} is canceled.`)
    throw signal.reason
  } finally {
    progress.end()
  }
}

const summaryOf = (batch: Batch): string => {
  const reason = batch.message ? [printable(`${batch.message} (${batch.code})`)] : []
  return [countsText(batch), ...reason, dollarsText(batch.costInDollars), batch.batchId].join(' · ')
}

const batchSource = async (source: string, { limit }: Options) => {
  if (isHttpUrl(source)) return { playlistUrl: source, limit }
  const urls = await urlsIn(source)
  return { urls: urls.slice(0, limit) }
}

const urlsIn = async (source: string): Promise<string[]> => {
  if (source === '-') return parseUrls(await text(process.stdin), 'stdin')
  const content = await readFile(source, 'utf8').catch(() => null)
  if (content === null) {
    throw new UsageError(`${source} is neither a file nor a URL that starts with http:// or https://.`)
  }
  return parseUrls(content, source)
}

const batchRequest = (source: object, options: Options): BatchRequest => {
  const { limit: _, ...common } = startFields('batch', options).batch
  return { ...source, ...partOfItems('batch', options), ...common } as BatchRequest
}

const hasEnded = ({ status }: Batch): boolean => status !== 'queued' && status !== 'running'

/** `12 of 50 done, 1 failed, 3 running, 35 waiting` */
export const countsText = (batch: Batch): string => {
  const { total, waiting, running, completed, failed, skipped } = batch.counts
  if (total === null) return hasEnded(batch) ? batch.status : 'Reading the list'
  const others = [
    [failed, 'failed'],
    [skipped, 'skipped'],
    [running, 'running'],
    [waiting, 'waiting'],
  ] as const
  const shown = others.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : []))
  return [`${completed} of ${total} done`, ...shown].join(', ')
}

export const problemLines = (items: readonly BatchItem[], maxColumns?: number): string[] => {
  const rows = items.map(({ index, url, code, status, message }) => [String(index), url, code ?? status, message ?? ''])
  if (rows.length === 0) return []
  return tableLines(
    [
      { title: '#', align: 'right' },
      { title: 'URL', isFlexible: true },
      { title: 'Code' },
      { title: 'Message', isFlexible: true },
    ],
    rows,
    maxColumns,
  )
}

/** Failed items take precedence over items that were skipped for lack of money. */
export const exitCodeOfBatch = ({ status, code, counts }: Batch, items: readonly BatchItem[]): number => {
  if (status === 'failed') return exitCodeOfFailure(code)
  if (counts.failed > 0 || status === 'canceled') return exitCodes.failed
  const [skipped] = items.filter((item) => item.status === 'skipped')
  return skipped ? exitCodeOfFailure(skipped.code) : exitCodes.done
}
