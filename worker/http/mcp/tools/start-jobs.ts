import { z } from 'zod'
import { daysText, downloadPriceText, priceText, speechPriceText } from '../../../../domain/money/price-text.ts'
import { isFree, type Prices } from '../../../../domain/money/prices.ts'
import { importFields } from '../../../../domain/options/import-options.ts'
import { askedAt, tableAt } from '../../../../domain/options/option.ts'
import { transcribeFields } from '../../../../domain/options/transcribe-options.ts'
import { schemasOf } from '../../jobs/option-schemas.ts'
import { JobOutput, startAndFollow } from '../job-answer.ts'
import { refuseArguments } from '../problems.ts'
import { tool } from '../tool.ts'

const pricesOfTranscripts = (prices: Prices): string =>
  isFree(prices)
    ? 'Both are free.'
    : `Captions: ${priceText(prices.captions)}. Recognition: ${speechPriceText(prices, 'builtin')}, and the download: ${downloadPriceText(prices)}.`

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

const Seconds = z.number().min(0).max(1_000_000)

export const importMedia = tool({
  name: 'import_media',
  title: 'Import a video or audio file',
  description: ({ prices, retentionDays }) =>
    `Download a video or audio from a page or a file, and get a link to the file, which works for ${daysText(retentionDays)}. The download: ${downloadPriceText(prices)}; look says how large it is. Answers with the link, or after 45 seconds with a job_id for check_job. To get text and no file, call transcribe instead. The same call within an hour returns the same job without another charge. Failed jobs are free.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    ...schemasOf(tableAt(importFields, 'mcp')),
    audio_only: z.boolean().default(false).describe('Import only the sound.'),
    start: Seconds.optional().describe('Only from this second of the media on.'),
    end: Seconds.optional().describe('Only up to this second of the media.'),
  }),
  output: JobOutput,
  run: async ({ audio_only, start, end, ...args }, call) => {
    if (args.audio_format !== 'source' && !audio_only)
      return refuseArguments('audio_format is only possible with audio_only true.')
    if (end !== undefined && end <= (start ?? 0)) return refuseArguments('end must be after start.')
    const clip = start === undefined && end === undefined ? {} : { clip: { start, end } }
    return startAndFollow(call, '/import', {
      ...askedAt(importFields, 'mcp', args),
      includeVideo: !audio_only,
      ...clip,
    })
  },
})
