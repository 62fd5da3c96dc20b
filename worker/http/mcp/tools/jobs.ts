import { z } from 'zod'
import { isTerminal, type Job } from '../../../../domain/jobs/job.ts'
import { MAX_SECONDS } from '../../../../domain/limits.ts'
import { toDollars } from '../../../../domain/money/money.ts'
import {
  daysText,
  dollars,
  downloadPriceText,
  priceText,
  speechPriceText,
} from '../../../../domain/money/price-text.ts'
import { isFree, type Prices } from '../../../../domain/money/prices.ts'
import { importFields } from '../../../../domain/options/import-options.ts'
import { askedAt, tableAt } from '../../../../domain/options/option.ts'
import { transcribeFields, wordsOptions } from '../../../../domain/options/transcribe-options.ts'
import { cancelStep } from '../../fleet-calls.ts'
import { schemasOf } from '../../jobs/option-schemas.ts'
import { account, identity } from '../../request-context.ts'
import { outputOf } from '../answer.ts'
import { JobOutput, jobAnswer } from '../job-answer.ts'
import { kindOf, refuseArguments, refusedAnswer } from '../problems.ts'
import { readJob, startAndFollow, waitForEnd } from '../start-and-follow.ts'
import { tool } from '../tool.ts'

export const JobId = z.string().min(1).describe('The job_id that transcribe or import_media returned.')

export const checkJob = tool({
  name: 'check_job',
  title: 'Check a job',
  description:
    'See how far a job is. Waits up to 45 seconds for its end. A completed transcription answers with the beginning of the transcript, a completed import with links to its files, a failed job with the reason and what to do. Free.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({ job_id: JobId }),
  output: JobOutput,
  run: async ({ job_id }, call) => {
    const read = await readJob(call, job_id)
    return read.ok ? jobAnswer(call, await waitForEnd(call, read.value)) : refusedAnswer(read.refusal, job_id)
  },
})

export const cancelJob = tool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancel a job that is queued or running. It costs nothing then. A job that has ended stays as it is: nothing is deleted.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ job_id: JobId }),
  output: outputOf({
    job_id: z.string(),
    status: z.enum(['completed', 'failed']),
    is_canceled: z.boolean(),
  }),
  run: async ({ job_id }, { c }) => {
    const { result } = await account(c).cancel(identity(c), job_id)
    if (!result.ok) return refusedAnswer(result.refusal, job_id)
    const { job } = result.value
    if (!isTerminal(job.state)) throw new Error(`${job.id} was not canceled`)
    const isCanceled = job.failure?.code === 'CANCELED'
    if (isCanceled) cancelStep(c, { jobId: job.id, attempt: job.attempt })
    const charged = job.result ? toDollars(job.result.costMicros) : 0
    return {
      lines: [isCanceled ? `${kindOf(job)} ${job.id} is canceled. It was charged nothing.` : endedBefore(job, charged)],
      data: { job_id: job.id, status: job.state, is_canceled: isCanceled, charged_dollars: charged },
    }
  },
})

const endedBefore = (job: Job, charged: number): string => {
  const name = `${kindOf(job)} ${job.id}`
  if (job.state === 'failed') {
    return `${name} had failed already. There was nothing to cancel, and it was charged nothing.`
  }
  const stored = job.kind === 'import' ? 'its file' : 'its transcript'
  return `${name} had completed already and was charged ${dollars(charged)}. Nothing was canceled, and ${stored} was not deleted.`
}

const wordsPrices = (prices: Prices): string =>
  `Captions: ${priceText(prices.captions)}. Recognition: ${speechPriceText(prices, 'builtin')}`

const pricesOfTranscripts = (prices: Prices): string =>
  isFree(prices) ? 'Both are free.' : `${wordsPrices(prices)}, and the download: ${downloadPriceText(prices)}.`

export const transcribe = tool({
  name: 'transcribe',
  title: 'Transcribe a video or audio',
  description: ({ prices }) =>
    `Turn the speech of a video or audio into text with times. Without provider it takes the captions of the source, and recognizes the speech with the built-in engine if there are none. ${pricesOfTranscripts(prices)} Answers with the beginning of the transcript and a cursor for read_transcript; a job that takes longer than 45 seconds answers with a job_id for check_job. The same call within an hour returns the same job without another charge. Failed jobs are free.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject(schemasOf(tableAt(transcribeFields, 'mcp'))),
  output: JobOutput,
  run: async (args, call) => {
    if ((args.url === undefined) === (args.import_id === undefined)) {
      return refuseArguments('Either url or import_id is required, and not both.')
    }
    const asked = askedAt(transcribeFields, 'mcp', args)
    return startAndFollow(call, '/transcribe', args.provider === undefined ? { ...asked, mode: 'auto' } : asked)
  },
})

export const { language } = schemasOf(tableAt(transcribeFields, 'mcp'))
const Seconds = z.number().min(0).max(MAX_SECONDS)

export const importMedia = tool({
  name: 'import_media',
  title: 'Import a video or audio file',
  description: ({ prices, retentionDays }) =>
    `Download a video or audio from a page or a file, and get a link to the file, which works for ${daysText(retentionDays)}. The download: ${downloadPriceText(prices)}; look says how large it is. With captions, transcript or files it makes these too, of the same download. ${wordsPrices(prices)}. Answers with the links, or after 45 seconds with a job_id for check_job. To get text and no file, call transcribe instead. The same call within an hour returns the same job without another charge. Failed jobs are free.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    ...schemasOf(tableAt(importFields, 'mcp')),
    audio_only: z.boolean().default(false).describe('Import only the sound.'),
    start: Seconds.optional().describe('Only from this second of the media on.'),
    end: Seconds.optional().describe('Only up to this second of the media.'),
    transcript: z.enum(wordsOptions.mode.shape.values).optional().meta({
      description:
        'Also make a transcript, for read_transcript: captions of the source, speech recognition by the built-in engine, or auto: captions where there are any, else speech.',
    }),
    language,
  }),
  output: JobOutput,
  run: async ({ audio_only, start, end, transcript, language, ...args }, call) => {
    if (args.audio_format !== 'source' && !audio_only)
      return refuseArguments('audio_format is only possible with audio_only true.')
    if (end !== undefined && end <= (start ?? 0)) return refuseArguments('end must be after start.')
    if (language !== undefined && transcript === undefined) return refuseArguments('language needs transcript.')
    const clip = start === undefined && end === undefined ? {} : { clip: { start, end } }
    return startAndFollow(call, '/import', {
      ...askedAt(importFields, 'mcp', args),
      includeVideo: !audio_only,
      ...clip,
      ...(transcript && { transcribe: { mode: transcript, language } }),
    })
  },
})
