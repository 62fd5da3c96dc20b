import { z } from 'zod'
import { daysText, downloadPriceText } from '../../../../domain/money/price-text.ts'
import { AudioFormat, VideoQuality } from '../../../../domain/protocol/protocol.ts'
import { ImportBody } from '../../jobs/import-request.ts'
import { HttpUrl } from '../../schemas.ts'
import { JobOutput } from '../job-answer.ts'
import { refuseArguments } from '../problems.ts'
import { startAndFollow } from '../start-and-follow.ts'
import { tool } from '../tool.ts'

const Seconds = z.number().min(0).max(1_000_000)

export const importMedia = tool({
  name: 'import_media',
  title: 'Import a video or audio file',
  description: ({ prices, retentionDays }) =>
    `Download a video or audio from a page or a file, and get a link to the file, which works for ${daysText(retentionDays)}. The download: ${downloadPriceText(prices)}; look says how large it is. Answers with the link, or after 45 seconds with a job_id for check_job. To get text and no file, call transcribe instead. The same call within an hour returns the same job without another charge. Failed jobs are free.`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    url: HttpUrl.describe('The address of a page or of a file with media.'),
    audio_only: z.boolean().default(false).describe('Import only the sound.'),
    video_quality: VideoQuality.default('1080p').describe('The best picture up to this height.'),
    audio_format: AudioFormat.default('source').describe(
      'With audio_only: the format of the file. It is re-encoded only if the source has another one.',
    ),
    start: Seconds.optional().describe('Only from this second of the media on.'),
    end: Seconds.optional().describe('Only up to this second of the media.'),
    max_cost_dollars: ImportBody.shape.maxCostDollars.describe(
      'The most that this call may cost. A larger file ends with an error, and costs nothing.',
    ),
    store: z
      .boolean()
      .default(false)
      .describe('Also copy the file to the bucket that the user has set for this account.'),
  }),
  output: JobOutput,
  run: async ({ url, audio_only, video_quality, audio_format, start, end, max_cost_dollars, store }, call) => {
    if (audio_format !== 'source' && !audio_only)
      return refuseArguments('audio_format is only possible with audio_only true.')
    if (end !== undefined && end <= (start ?? 0)) return refuseArguments('end must be after start.')
    const clip = start === undefined && end === undefined ? {} : { clip: { start, end } }
    const options = { includeVideo: !audio_only, videoQuality: video_quality, audioFormat: audio_format, store }
    return startAndFollow(call, '/import', { url, ...options, ...clip, maxCostDollars: max_cost_dollars })
  },
})
