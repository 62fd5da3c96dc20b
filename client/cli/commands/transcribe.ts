import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Command } from 'commander'
import { HaulJobError, type Source, type TranscribeOptions, type TranscriptionResult } from '../../src/index.ts'
import { DEFAULT_MAX_DOLLARS, nameCeiling, priceSentence } from '../ceilings.ts'
import { UsageError } from '../exit-codes.ts'
import { save, type Target, targetOf } from '../files/save.ts'
import { followJob, printStarted, withProgress } from '../follow-job.ts'
import { isHttpUrl } from '../options.ts'
import { openSession, type Session } from '../session.ts'
import { addStartFlags, type StartCommandOptions, startFields } from '../start-flags.ts'
import { printable, printableJson, printJson, printLine, printText } from '../terminal/output.ts'
import { dollarsText, durationText } from '../terminal/quantities.ts'

const formats = ['txt', 'srt', 'vtt', 'json', 'md', 'tsv'] as const
type Format = (typeof formats)[number]

interface Options extends StartCommandOptions {
  format?: Format
  output?: string
  force?: true
}

export const addTranscribe = (program: Command): Command => {
  const command = program
    .command('transcribe')
    .summary('print the transcript of a URL or a file')
    .description(
      `Prints the transcript of a URL, a file, imp_…, upl_… or trn_…, for at most ${dollarsText(DEFAULT_MAX_DOLLARS)}.`,
    )
    .argument('<source>')
    .option('--format <format>', `${formats.join(', ')} (default: by -o, txt)`, parseFormat)
    .option('-o, --output <file>', 'save as this file, in this folder, or - for stdout')
    .option('-f, --force', 'overwrite an existing file')
  return addStartFlags(command, 'transcribe')
    .option('--no-wait', 'print the job id and leave the job running')
    .addHelpText('after', '\nExample:\n  haul transcribe talk.mp3 --max-cost 2 -o talk.srt')
    .action(transcribe)
}

const transcribe = async (source: string, options: Options): Promise<void> => {
  const target = await targetOf(options.output, options)
  const format = options.format ?? formatOfName(target) ?? 'txt'
  const fields = transcribeFields(options)
  const isEarlierJob = source.startsWith('trn_')
  if (!isEarlierJob) await checkSource(source)
  const session = await openSession(options)
  if (isEarlierJob) {
    const result = await followJob<TranscriptionResult>(session, source, { isOwn: false })
    return printTranscript(session, source, result, { options, target, format })
  }
  const from = await sourceOf(session, source)
  const started = await withProgress(session, 'starting', () =>
    session.haul.transcribe(from, { ...fields, wait: false, signal: session.signal, cancelOnAbort: options.wait }),
  )
  if (!options.wait) return printStarted(session, started)
  const result = await followJob<TranscriptionResult>(session, started.jobId, { isOwn: true }).catch((error) => {
    const { uploadId } = from as { uploadId?: string }
    const uploaded = uploadId && !isId(source) ? { file: source, uploadId } : undefined
    const { maxCostDollars } = fields
    if (error instanceof HaulJobError) {
      nameCeiling(session, error, { maxCostDollars, sentence: priceSentence(error.quote, maxCostDollars), uploaded })
    }
    throw error
  })
  await printTranscript(session, started.jobId, result, { options, target, format })
}

const parseFormat = (text: string): Format => {
  const format = formats.find((each) => each === text)
  if (!format) throw new UsageError(`--format ${text}: expected one of ${formats.join(', ')}.`)
  return format
}

const isId = (source: string): boolean => /^(imp|upl|trn)_/.test(source)

const checkSource = async (source: string): Promise<void> => {
  if (isId(source) || isHttpUrl(source)) return
  const found = await stat(source).catch(() => null)
  if (!found?.isFile()) {
    throw new UsageError(`${source} is neither a file nor a URL that starts with http:// or https://.`)
  }
}

const sourceOf = async (session: Session, source: string): Promise<Source> => {
  if (source.startsWith('imp_')) return { importId: source }
  if (source.startsWith('upl_')) return { uploadId: source }
  if (isHttpUrl(source)) return source
  const { uploadId } = await withProgress(session, 'uploading', (onProgress) =>
    session.haul.uploads.create(source, { signal: session.signal, onProgress }),
  )
  return { uploadId }
}

export const transcribeFields = (options: object): TranscribeOptions => {
  const given = startFields('transcribe', options).transcribe
  const mode = given.mode ?? (given.provider === undefined ? 'auto' : undefined)
  return { ...(mode === 'auto' && { maxCostDollars: DEFAULT_MAX_DOLLARS }), ...given, mode } as TranscribeOptions
}

const formatOfName = (target: Target | undefined): Format | undefined =>
  target?.kind === 'file' ? formats.find((format) => extname(target.path).toLowerCase() === `.${format}`) : undefined

const printTranscript = async (
  session: Session,
  jobId: string,
  result: TranscriptionResult,
  { options, target, format }: { options: Options; target: Target | undefined; format: Format },
): Promise<void> => {
  const { haul, signal, isJson } = session
  const speakers = transcribeFields(options).speakers !== undefined || undefined
  const chapters = format === 'md' || undefined
  const load = async (): Promise<string> => {
    const transcript = await haul.transcript(jobId, format, { speakers, chapters, signal })
    const text = typeof transcript === 'string' ? transcript : printableJson(transcript, 2)
    return text.endsWith('\n') ? text : `${text}\n`
  }
  if (target) {
    const text = Buffer.from(await load())
    const path = await save(target, `${result.title ?? jobId}.${format}`, (write) => write(text))
    if (path && !isJson) await printLine(path)
  }
  if (isJson) return printJson(await haul.jobs.get(jobId))
  if (!target) await printText(await load())
  session.note(factsOf(jobId, result))
}

const factsOf = (jobId: string, { source, language, duration, costInDollars }: TranscriptionResult): string =>
  printable([source, language, durationText(duration), dollarsText(costInDollars), jobId].join(' · '))
