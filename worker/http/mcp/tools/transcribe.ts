import { z } from 'zod'
import { downloadPriceText, priceText, speechPriceText } from '../../../../domain/money/price-text.ts'
import { isFree, type Prices } from '../../../../domain/money/prices.ts'
import { thirdParties } from '../../../speech/configured-providers.ts'
import { TranscribeBody } from '../../jobs/transcribe-request.ts'
import { HttpUrl } from '../../schemas.ts'
import { JobOutput } from '../job-answer.ts'
import { refuseArguments } from '../problems.ts'
import { startAndFollow } from '../start-and-follow.ts'
import { tool } from '../tool.ts'

const DEFAULT_MAX_DOLLARS = 0.5

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
  input: z.strictObject({
    url: HttpUrl.optional().describe('The address of a page or of a file with media. Give either url or import_id.'),
    import_id: z
      .string()
      .min(1)
      .optional()
      .describe('The job_id of a completed import_media: nothing is downloaded again.'),
    language: TranscribeBody.shape.language.describe(
      'A code such as en or pt-BR: of the captions, or as spoken. When omitted, the language of the media.',
    ),
    provider: z
      .enum(['builtin', ...thirdParties])
      .optional()
      .describe(
        'Recognize the speech, without a look at captions. builtin needs no key. openai, deepgram and assemblyai need a key that the user has stored, and an operator who offers them; provider_a, provider_b and provider_c are the neutral names of those that are offered.',
      ),
    speakers: z
      .boolean()
      .default(false)
      .describe('Identify the speakers, named A, B and so on. Captions without speakers are not used.'),
    keywords: TranscribeBody.shape.keywords.describe(
      'Names and terms that may be said, the most important ones first. Speech recognition uses them.',
    ),
    prompt: TranscribeBody.shape.prompt.describe('What the speech is about, in a sentence or two.'),
    translate: z
      .literal('en')
      .optional()
      .describe('Translate the speech into English. Only captions in English are used.'),
    max_cost_dollars: TranscribeBody.shape.maxCostDollars
      .default(DEFAULT_MAX_DOLLARS)
      .describe('The most that this call may cost. A higher price is an error that names it, and costs nothing.'),
  }),
  output: JobOutput,
  run: async ({ import_id: importId, provider, max_cost_dollars: maxCostDollars, ...asked }, call) => {
    const { url } = asked
    if ((url === undefined) === (importId === undefined)) {
      return refuseArguments('Either url or import_id is required, and not both.')
    }
    const engine = provider === undefined ? { mode: 'auto' } : { provider }
    return startAndFollow(call, '/transcribe', { importId, ...asked, ...engine, maxCostDollars })
  },
})
