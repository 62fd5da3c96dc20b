import { z } from 'zod'
import { daysText, downloadPriceText } from '../../../../domain/money/price-text.ts'
import { importFields } from '../../../../domain/options/import-options.ts'
import { askedAt, tableAt } from '../../../../domain/options/option.ts'
import { schemasOf } from '../../jobs/option-schemas.ts'
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
