import { z } from 'zod'
import { downloadPriceText, priceText, speechPriceText } from '../../../../domain/money/price-text.ts'
import { isFree, type Prices } from '../../../../domain/money/prices.ts'
import { askedAt, tableAt } from '../../../../domain/options/option.ts'
import { transcribeFields } from '../../../../domain/options/transcribe-options.ts'
import { schemasOf } from '../../jobs/option-schemas.ts'
import { JobOutput } from '../job-answer.ts'
import { refuseArguments } from '../problems.ts'
import { startAndFollow } from '../start-and-follow.ts'
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
