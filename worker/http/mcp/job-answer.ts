import { z } from 'zod'
import { failures } from '../../../domain/codes/failures.ts'
import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import type { ImportJob, Job, TranscriptionJob } from '../../../domain/jobs/job.ts'
import { partKinds } from '../../../domain/jobs/part-kinds.ts'
import type { Part } from '../../../domain/jobs/parts.ts'
import { readableTranscript } from '../../../domain/jobs/readable-words.ts'
import { toDollars } from '../../../domain/money/money.ts'
import { dollars } from '../../../domain/money/price-text.ts'
import { importView } from '../../media/present.ts'
import type { JobFile } from '../jobs/status.ts'
import { publicUrl } from '../request-context.ts'
import { type Answer, durationText, outputOf, quotedTitle, shortTitle, visible } from './answer.ts'
import { failedAnswer, kindOf, messageOf, partProblem, refusedAnswer } from './problems.ts'
import type { ToolCall } from './tool.ts'
import { beginning, TranscriptFields } from './transcript/read.ts'

const OtherFile = {
  kind: z.enum(partKinds),
  language: z.string().optional(),
  format: z.string().optional(),
}

export const JobOutput = outputOf({
  job_id: z.string(),
  type: z.enum(['import', 'transcription']),
  status: z.enum(['queued', 'running', 'completed', 'failed']),
  progress: z.string().describe('What the job is doing.'),
  check_again_in_seconds: z.number().describe('When to call check_job, for a job that has not ended.'),
  is_earlier_job: z.boolean().describe('The same call had started this job before, so this call was not charged.'),
  title: z.string().describe('Quoted from the source.'),
  duration_seconds: z.number(),
  language: z.string(),
  translated_to: z.string().describe('The language of the text, if the speech was translated.'),
  source: z.string().describe('platform_captions, or the provider that recognized the speech.'),
  model: z.string().describe('What recognized the speech. Absent for captions.'),
  provider_service: z.string().describe('The service behind the provider. Absent for captions and builtin.'),
  ...TranscriptFields,
  file: z.object({
    url: z.string(),
    name: z.string(),
    content_type: z.string(),
    size_bytes: z.number(),
    expires_at: z.string(),
  }),
  files: z.array(z.object({ ...OtherFile, url: z.string(), name: z.string(), content_type: z.string() })).meta({
    description: 'Beside the file of an import.',
  }),
  missing: z
    .array(
      z.object({
        ...OtherFile,
        status: z.enum(['skipped', 'failed']),
        code: z.string(),
        message: z.string(),
        next: z.string().optional(),
      }),
    )
    .describe('What could not be made beside it. It costs nothing.'),
})

export const jobAnswer = async (call: ToolCall, job: Job, { isEarlier = false } = {}): Promise<Answer> => {
  const data = { job_id: job.id, type: job.kind, status: job.state, is_earlier_job: isEarlier }
  if (job.failure) return failedAnswer(job, job.failure)
  const earlier = `The same call started ${job.id} before, so no new job was started and nothing was charged for this call.`
  const lines = isEarlier ? [earlier] : []
  if (job.state !== 'completed') return withLines(lines, runningAnswer(job, data))
  if (job.removedAt !== null) return refusedAnswer(refusal('MEDIA_EXPIRED', {}, removed(job)), job.id)
  const answer = job.kind === 'import' ? await importAnswer(call, job) : await transcriptionAnswer(call, job)
  return withLines(lines, { ...answer, data: { ...data, ...answer.data } })
}

const withLines = (lines: string[], answer: Answer): Answer => ({ ...answer, lines: [...lines, ...answer.lines] })

const removed = (job: Job): string =>
  `${kindOf(job)} ${job.id} has completed, and its ${job.kind === 'import' ? 'file' : 'transcript'} is not stored any more.${job.kind === 'import' && readableTranscript(job) ? ' Its transcript or captions are: call read_transcript.' : ''}`

/** `downloading, 42 %`. */
export const progressOf = ({ state, progress }: Job): string => {
  if (state !== 'running' || !progress) return state
  return progress.percent === null ? progress.stage : `${progress.stage}, ${Math.floor(progress.percent)} %`
}

const runningAnswer = (job: Job, data: object): Answer => {
  const progress = progressOf(job)
  const seconds = checkAgainIn(job)
  return {
    lines: [
      `${kindOf(job)} ${job.id} is not done yet (${progress}). It continues in the background.`,
      `Call check_job with job_id "${job.id}" in ${seconds} seconds.`,
    ],
    data: { ...data, progress, check_again_in_seconds: seconds },
  }
}

/** Answers for a job that was started and cannot be read now, because too many jobs were read within the hour. */
export const unreadAnswer = (jobId: string, { message, facts }: Refusal): Answer => {
  const seconds = typeof facts.retryAfter === 'number' ? facts.retryAfter : SOON_SECONDS
  return {
    lines: [`${jobId} was started. ${message}`, `Call check_job with job_id "${jobId}" in ${seconds} seconds.`],
    data: { job_id: jobId, check_again_in_seconds: seconds },
  }
}

const SOON_SECONDS = 10
const LATE_SECONDS = 120

/** The rest of the download where that is known. check_job waits too, so early is better than late. */
const checkAgainIn = ({ progress }: Job): number => {
  if (!progress?.bytesPerSecond || progress.totalBytes === null) return SOON_SECONDS
  const seconds = (progress.totalBytes - progress.downloadedBytes) / progress.bytesPerSecond
  return Math.round(Math.min(LATE_SECONDS, Math.max(SOON_SECONDS, seconds)))
}

const charged = (job: Job, amount: number): string => `This job was charged ${dollars(amount)} in total (${job.id}).`

const importAnswer = async ({ c }: ToolCall, job: ImportJob): Promise<Answer> => {
  const view = await importView(c.env, job, { accountId: c.var.caller.accountId, origin: publicUrl(c) })
  if (!view.result) throw new Error(`the completed import ${job.id} has no result`)
  const { title, duration, mediaUrl, filename, contentType, fileSizeBytes, expiresAt, costInDollars, message } =
    view.result
  const { files: made = [] } = view.result as { files?: z.infer<typeof JobFile>[] }
  const files = made.flatMap(({ kind, language, format, url, filename: name, contentType: content_type }) =>
    kind === 'media' || !url || !name || !content_type ? [] : [{ kind, language, format, url, name, content_type }],
  )
  const missing = (job.parts ?? []).flatMap((part) => (part.state === 'completed' ? [] : [missingPart(job, part)]))
  const words = files.some(({ format }) => format) ? `Read them with read_transcript and job_id "${job.id}".` : ''
  const file = { url: mediaUrl, name: filename, content_type: contentType, size_bytes: fileSizeBytes }
  return {
    lines: [
      `Import ${job.id} completed: ${contentType}, ${fileSizeBytes} bytes, ${durationText(duration)}. Its title is ${quotedTitle(title)}.`,
      `The file is linked below, until ${expiresAt}. To transcribe it without another download, call transcribe with import_id "${job.id}".`,
      files.length > 0 ? `Beside it: ${files.map(nameOfFile).join(', ')}. ${words}`.trim() : '',
      ...missing.map(({ line }) => line),
      message ?? '',
      charged(job, costInDollars),
    ],
    data: {
      title: shortTitle(title),
      duration_seconds: duration,
      file: { ...file, expires_at: expiresAt },
      ...(job.parts && { files, missing: missing.map(({ data }) => data) }),
      charged_dollars: costInDollars,
    },
    files: [
      {
        uri: mediaUrl,
        name: filename,
        mimeType: contentType,
        size: fileSizeBytes,
        description: `The file of ${job.id}, until ${expiresAt}.`,
      },
      ...files.map((each) => ({
        uri: each.url,
        name: each.name,
        mimeType: each.content_type,
        description: `${nameOfFile(each)} of ${job.id}.`,
      })),
    ],
  }
}

interface NamedFile {
  kind: string
  language?: string | undefined
  format?: string | undefined
}

/** `captions (de, vtt)`. */
const nameOfFile = ({ kind, language, format }: NamedFile): string => {
  const facts = [language && visible(language), format].filter(Boolean)
  return facts.length > 0 ? `${kind} (${facts.join(', ')})` : kind
}

const missingPart = (job: ImportJob, part: Exclude<Part, { state: 'completed' }>) => {
  const { kind, language } = part
  const name = nameOfFile(part)
  const about = { kind, language }
  if (part.state === 'skipped') {
    const { code } = part
    const message = code === 'NOT_AT_SOURCE' ? 'The source has none.' : messageOf(code, failures[code].message)
    return { line: `No ${name}: ${message}`, data: { ...about, status: part.state, code, message } }
  }
  const problem = partProblem(job, kind, part.failure)
  const line = `No ${name}: ${problem.message} ${problem.next}`
  return { line, data: { ...about, status: part.state, ...problem } }
}

const transcriptionAnswer = async ({ c }: ToolCall, job: TranscriptionJob): Promise<Answer> => {
  const { result } = job
  const page = result && (await beginning(c.env, job))
  if (!result || !page) return refusedAnswer(refusal('MEDIA_EXPIRED', {}, removed(job)), job.id)
  const { source, providerService, model, language, translatedTo, durationSeconds, title, costMicros } = result
  const from = providerService === undefined ? source : `${source} (${providerService})`
  return {
    lines: [
      `Transcription ${job.id} completed: ${durationText(durationSeconds)}, language ${visible(language)}${translatedTo ? `, translated to ${translatedTo}` : ''}, from ${from}.`,
      title === null ? '' : `The title is ${quotedTitle(title)}.`,
      page.line,
      charged(job, toDollars(costMicros)),
    ],
    data: {
      title: title && shortTitle(title),
      duration_seconds: durationSeconds,
      language,
      translated_to: translatedTo,
      source,
      model: model && visible(model),
      provider_service: providerService,
      ...page.data,
      charged_dollars: toDollars(costMicros),
    },
    quoted: page.quoted,
  }
}
