import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Batch, BatchItem, BatchRequest } from '../../src/index.ts'
import { exitCodes, Reported, UsageError } from '../exit-codes.ts'
import { countsText, exitCodeOfBatch, followBatch, problemLines } from '../jobs/follow-batch.ts'
import { withProgress } from '../jobs/follow-job.ts'
import { audioFormats, isHttpUrl, parseDollars, parseLimit, parseMetadata, parseUrls } from '../option-values.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { printable, printJson, printLine } from '../terminal/output.ts'
import { dollarsText } from '../terminal/quantities.ts'

interface Options extends OutputOptions {
  transcribe?: true
  limit?: number
  maxCost?: number
  mode?: string
  provider?: string
  language?: string
  quality?: string
  audio?: string
  store?: true
  metadata?: Record<string, string>
  wait: boolean
}

export const addBatch = (program: Command): Command =>
  program
    .command('batch')
    .summary('import or transcribe many URLs')
    .description(
      'Imports or transcribes the URLs of a file (one in a line, - for stdin), or the entries of a playlist or feed. Waits until all have ended, and prints a table of those that failed.',
    )
    .argument('<urls>', 'a file of URLs, -, or the URL of a playlist or feed')
    .option('--transcribe', 'transcribe instead of importing')
    .option('--limit <number>', 'of a playlist: the most entries (default: 50)', parseLimit)
    .option('--max-cost <dollars>', 'the most that the batch may cost', parseDollars)
    .option('--mode <mode>', 'with --transcribe: captions (the default), speech or auto')
    .option('--provider <provider>', 'with --transcribe: recognize the speech: builtin …')
    .option('--language <code>', 'with --transcribe: the language: de')
    .option('--quality <quality>', 'at most this video quality: 720p …')
    .option('--audio [format]', `only the audio, as it is or as ${audioFormats.slice(1).join(', ')}`)
    .option('--store', 'copy the files to the bucket of the account')
    .option('--metadata <key=value>', 'note this on the batch and its jobs; may be repeated', parseMetadata)
    .option('--no-wait', 'print the batch id and leave the batch running')
    .addHelpText('after', '\nExample:\n  haul batch https://example.com/feed.xml --transcribe --limit 10 --max-cost 2')
    .action(runBatch)

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
    for await (const item of haul.batches.items(batchId, { status, signal })) problems.push(item)
  }
  problems.sort((one, other) => one.index - other.index)
  if (isJson) await printJson(batch)
  else for (const line of problemLines(problems, session.tableColumns)) await printLine(line)
  session.note(summaryOf(batch))
  const exitCode = exitCodeOfBatch(batch, problems)
  if (exitCode !== exitCodes.done) throw new Reported(exitCode)
}

/** Ctrl-C cancels the batch. */
const untilEnded = async ({ haul, signal, progress, note }: Session, batchId: string): Promise<Batch> => {
  try {
    return await followBatch(haul, batchId, {
      signal,
      onChange: (batch) => progress.show(() => countsText(batch)),
    })
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

/** The API checks the values of the fields. */
const batchRequest = (source: object, options: Options): BatchRequest => {
  const { transcribe, mode, provider, language, quality, audio, store, maxCost, metadata } = options
  const hasForeign = (transcribe ? [quality, audio, store] : [mode, provider, language]).some(
    (each) => each !== undefined,
  )
  if (hasForeign && transcribe) throw new UsageError('--quality, --audio and --store do not go with --transcribe.')
  if (hasForeign) throw new UsageError('--mode, --provider and --language need --transcribe.')
  const audioOnly = audio === undefined ? {} : { includeVideo: false, audioFormat: audio }
  const work = transcribe
    ? { transcribe: { mode, provider, language } }
    : { import: { videoQuality: quality, ...audioOnly, store } }
  return { ...source, ...work, maxCostDollars: maxCost, metadata } as BatchRequest
}
