import { z } from '@hono/zod-openapi'
import { failureOfCode } from '../../../domain/codes/failures.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { readByView } from '../../../domain/jobs/job-status.ts'
import { quoteOf } from '../../../domain/money/bill.ts'
import { type Micros, minus, toDollars } from '../../../domain/money/money.ts'
import { downloadCost, type Prices, speechCost } from '../../../domain/money/prices.ts'
import {
  AudioQuality,
  ProbedFormat,
  type ProbedSource,
  type ProbeResponse,
  VideoQuality,
} from '../../../domain/protocol/protocol.ts'
import { termsOf } from '../../env.ts'
import { pricesOfDefault } from '../../fleet/offered-models.ts'
import { checkSourceUrl } from '../../outbound.ts'
import { askFleet, fleetIsBusy } from '../fleet-calls.ts'
import { apiKey } from '../guards.ts'
import { readByFields } from '../jobs/status.ts'
import { account, identity, outbound } from '../request-context.ts'
import { handleAnswer, refuse, respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { always, Bytes, Cost, HttpUrl, Integer, named, ok, refusals, Seconds, Title } from '../schemas.ts'

const TIMEOUT_MS = 20_000
const LISTED_ENTRIES = 50

const Estimate = z.object({
  imports: z.array(
    z.object({
      includeVideo: z.boolean(),
      includeAudio: z.boolean(),
      videoQuality: VideoQuality,
      audioQuality: AudioQuality,
      downloadBytes: Bytes.nullable(),
      costInDollars: Cost.nullable().describe('null if the size is unknown.'),
      isEstimate: z.boolean(),
    }),
  ),
  transcription: z.object({
    platformCaptions: z.number().openapi({ example: 0.01 }).nullable().describe('null if there are no captions.'),
    builtin: z.number().nullable().describe('null if the source has no sound, or its length is unknown.'),
    provider: z.number().openapi({ example: 0.03 }).nullable(),
    audioDownload: z
      .number()
      .nullable()
      .describe('Charged in addition to builtin and provider. `builtin` and it are the `quote` of a job.'),
    isEstimate: z.boolean().describe('Whether the length or the size of the audio is an estimate.'),
  }),
})

const SourceMetadata = named('SourceMetadata', {
  isPlaylist: always(false),
  title: Title,
  duration: Seconds.nullable().describe('In seconds.'),
  durationIsEstimate: z
    .boolean()
    .describe('Whether the duration is estimated from the size of the file and its first seconds.'),
  thumbnailUrl: z.string().nullable(),
  platform: z.string().openapi({ example: 'direct' }),
  ...readByFields,
  isLive: z.boolean().openapi({ example: false }),
  direct: z.boolean().describe('Whether the URL is a media file with one rendition.'),
  contentType: z.string().openapi({ example: 'video/mp4' }).nullable(),
  fileSizeBytes: Bytes.nullable(),
  formats: z.array(ProbedFormat),
  captions: z.array(z.object({ language: z.string(), kind: z.enum(['manual', 'automatic']) })),
  chapters: z.array(z.object({ title: z.string(), startSeconds: z.number(), endSeconds: z.number() })),
  estimate: Estimate,
})

export type SourceMetadata = z.infer<typeof SourceMetadata>

const Entry = z.object({
  url: z.string(),
  title: z.string().nullable(),
  duration: z.number().nullable().describe('In seconds.'),
})

const PlaylistMetadata = z
  .object({
    isPlaylist: always(true),
    title: z.string().nullable(),
    count: Integer.nullable().describe('null if the source does not state it.'),
    entries: z.array(Entry).describe(`The first ${LISTED_ENTRIES}.`),
  })
  .openapi('PlaylistMetadata', {
    description: 'The metadata of a playlist, a channel or a feed. `POST /batches` imports its entries.',
  })

export type PlaylistMetadata = z.infer<typeof PlaylistMetadata>

const Metadata = z.union([SourceMetadata, PlaylistMetadata]).openapi('Metadata', {}, { unionPreferredType: 'oneOf' })

export const metadataRoutes = routerFor('Metadata')

metadataRoutes.add('GET /metadata', {
  operationId: 'getMetadata',
  summary: 'Retrieve the sizes, formats, captions and prices of a source before importing it',
  description:
    'This request is free. At most two run at a time for an account; others wait, 20 seconds at most. What they take counts as free work.',
  guards: [apiKey('general', 'import', 'transcribe')],
  request: { query: z.object({ url: HttpUrl }) },
  responses: { 200: ok(Metadata), ...refusals(400, 503) },
  handle: async (c) => {
    const checked = await account(c).checkPreview(identity(c))
    return handleAnswer(c, checked, async () => {
      const { url } = c.req.valid('query')
      if (!(await checkSourceUrl(outbound(c), url))) return refuse(c, refusal('UNREACHABLE_URL'))
      const probed = await askFleet(c, { url, timeoutMs: TIMEOUT_MS }, (engine, order, disconnected) =>
        engine.probe({ ...order, listLimit: LISTED_ENTRIES }, disconnected),
      )
      if (probed === 'busy') return refuse(c, fleetIsBusy)
      if (probed.status === 'failed') return refuse(c, unreadable(probed.code, probed.message))
      const prices = await pricesOfDefault(c.env, c.var.caller.accountId, checked.prices ?? termsOf(c.env).prices)
      return respond(c, probed.status === 'list' ? playlistView(probed) : metadataView(probed.source, prices))
    })
  },
})

/** The reason is the code that a job would fail with. A code of a newer container is reported as INTERNAL. */
const unreadable = (code: string, message: string) => {
  if (code === 'SOURCE_UNREACHABLE' || code === 'SOURCE_NOT_FOUND') return refusal('UNREACHABLE_URL')
  const { code: reason, retryable } = failureOfCode(code)
  return refusal('SOURCE_UNREADABLE', { reason, retryable }, message)
}

const playlistView = ({ title, count, items }: Extract<ProbeResponse, { status: 'list' }>) => ({
  isPlaylist: true as const,
  title,
  count,
  entries: items.map(({ url, title, durationSeconds }) => ({ url, title, duration: durationSeconds })),
})

const metadataView = (source: ProbedSource, prices: Prices) => {
  const { title, durationSeconds, durationIsEstimate, readBy, downloads: _, speech: __, ...facts } = source
  const shown = { title, duration: durationSeconds, durationIsEstimate, ...readByView(readBy), ...facts }
  return { isPlaylist: false as const, ...shown, estimate: estimateOf(source, prices) }
}

const noSpeech = { durationSeconds: null, durationIsEstimate: false, downloadBytes: null, downloadIsEstimate: true }

const estimateOf = (source: ProbedSource, prices: Prices) => {
  const { durationSeconds, durationIsEstimate, downloadBytes, downloadIsEstimate } = source.speech ?? noSpeech
  const speech = (provider: string) =>
    durationSeconds === null ? null : toDollars(speechCost(prices, provider, durationSeconds))
  const download = quotedDownload(prices, durationSeconds, downloadBytes)
  return {
    imports: source.downloads.map(({ selection, bytes, isEstimate }) => ({
      ...selection,
      downloadBytes: bytes,
      costInDollars: bytes === null ? null : toDollars(downloadCost(prices, bytes)),
      isEstimate,
    })),
    transcription: {
      platformCaptions: source.captions.length > 0 ? toDollars(prices.captions) : null,
      builtin: speech('builtin'),
      provider: speech('provider_a'),
      audioDownload: download === null ? null : toDollars(download),
      isEstimate: durationIsEstimate || (download !== null && downloadIsEstimate),
    },
  }
}

/** What the download adds to the quote of a job. If the size is unknown, the quote assumes one. */
const quotedDownload = (prices: Prices, seconds: number | null, bytes: number | null): Micros | null => {
  const quote = quoteOf(prices, seconds, bytes)
  if (quote) return minus(quote.costMicros, speechCost(prices, 'builtin', quote.seconds))
  return bytes === null ? null : downloadCost(prices, bytes)
}
