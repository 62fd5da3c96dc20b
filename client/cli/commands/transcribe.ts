import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Command } from 'commander'
import { HaulJobError, type Source, type TranscribeOptions, type TranscriptionResult } from '../../src/index.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { save } from '../files/save.ts'
import { type Target, targetOf } from '../files/target.ts'
import { type FollowedJob, followJob, printStarted, withProgress } from '../jobs/follow-job.ts'
import { type NextAttempt, nextAttemptAfter, nextCommand, priceSentence } from '../jobs/next-attempt.ts'
import { isHttpUrl, parseClip, parseDollars } from '../option-values.ts'
import { Reported, UsageError } from '../problems.ts'
import { type OutputOptions, openSession, type Session } from '../session.ts'
import { askYesNo, canAsk } from '../terminal/ask.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { dollarsText, durationText } from '../terminal/quantities.ts'
import { printJson, printLine, printText } from '../terminal/stdout.ts'

const formats = ['txt', 'srt', 'vtt', 'json', 'md', 'tsv'] as const
type Format = (typeof formats)[number]

interface Options extends OutputOptions {
  format?: Format
  output?: string
  force?: true
  provider?: string
  maxCost?: number
  language?: string
  clip?: string
  words?: true
  speakers?: true
  wait: boolean
}

export const addTranscribe = (program: Command): Command =>
  program
    .command('transcribe')
    .summary('print the transcript of a URL or a file')
    .description(
      'Prints the transcript of a URL, a file or an import. Without --provider it takes existing captions. The id of a transcription prints it again.',
    )
    .argument('<source>', 'a URL, a file, imp_…, upl_… or trn_…')
    .option('--format <format>', `${formats.join(', ')} (default: by -o, else txt)`, parseFormat)
    .option('-o, --output <file>', 'save it as this file, in this folder, or - for stdout')
    .option('-f, --force', 'overwrite an existing file')
    .option('--provider <provider>', 'recognize the speech: builtin, provider_a …')
    .option('--max-cost <dollars>', 'the most that it may cost', parseDollars)
    .option('--language <code>', 'the language of the captions or the speech: de')
    .option('--clip <start-end>', 'only a part: 1:00-2:30, 90-, -0:30')
    .option('--words', 'the time of each word, in --format json')
    .option('--speakers', 'who speaks (provider_a, provider_b, provider_c)')
    .option('--no-wait', 'print the job id and leave the job running')
    .addHelpText('after', '\nExample:\n  haul transcribe talk.mp3 --provider builtin --max-cost 1 -o talk.srt')
    .action(transcribe)

const transcribe = async (source: string, options: Options): Promise<void> => {
  const target = await targetOf(options.output, options)
  const format = options.format ?? formatOfName(target) ?? 'txt'
  const fields = transcribeFields(options)
  const isEarlierJob = source.startsWith('trn_')
  if (!isEarlierJob) await checkSource(source)
  const session = await openSession(options)
  if (isEarlierJob) {
    return printTranscript(session, await followJob(session, source, { isOwn: false }), { options, target, format })
  }
  const from = await sourceOf(session, source)
  const start = (fields: TranscribeOptions) =>
    withProgress(session, 'starting', () =>
      session.haul.transcribe(from, { ...fields, wait: false, signal: session.signal, cancelOnAbort: options.wait }),
    )
  const started = await start(fields)
  if (!options.wait) return printStarted(session, started)
  const follow = (jobId: string) => followJob<TranscriptionResult>(session, jobId, { isOwn: true })
  const followed = await follow(started.jobId).catch(async (error) => {
    const next = error instanceof HaulJobError ? nextAttemptAfter(error, options.provider) : null
    if (!next) throw error
    const { uploadId } = from as { uploadId?: string }
    await confirm(session, error, next, uploadId && !isId(source) ? { file: source, uploadId } : undefined)
    const again = { provider: next.provider, maxCostDollars: next.maxCostDollars } as TranscribeOptions
    return follow((await start({ ...fields, ...again })).jobId)
  })
  await printTranscript(session, followed, { options, target, format })
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

/** The fields of `POST /transcribe`. The API checks their values. */
const transcribeFields = ({ provider, maxCost, language, clip, words, speakers }: Options): TranscribeOptions => {
  const fields = { provider, maxCostDollars: maxCost, language, clip: clip && parseClip(clip), words, speakers }
  return fields as TranscribeOptions
}

const formatOfName = (target: Target | undefined): Format | undefined =>
  target?.kind === 'file' ? formats.find((format) => extname(target.path).toLowerCase() === `.${format}`) : undefined

/** Resolves if the person at the terminal agrees to the price. Else the next command is printed. */
const confirm = async (
  { isJson, progress, signal }: Session,
  error: HaulJobError,
  next: NextAttempt,
  uploaded: { file: string; uploadId: string } | undefined,
): Promise<void> => {
  progress.note(`haul: ${next.reason} ${priceSentence(next)} (${error.code}, ${error.jobId})`)
  const question = `Transcribe it for at most ${dollarsText(next.maxCostDollars)}?`
  if (!isJson && canAsk() && (await askYesNo(question, signal))) return
  progress.note(`Run: ${nextCommand(process.argv.slice(2), next, uploaded)}`)
  throw new Reported(exitCodeOf(error))
}

const printTranscript = async (
  session: Session,
  { jobId, result }: FollowedJob<TranscriptionResult>,
  { options, target, format }: { options: Options; target: Target | undefined; format: Format },
): Promise<void> => {
  const { haul, signal, isJson } = session
  const speakers = options.speakers
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
