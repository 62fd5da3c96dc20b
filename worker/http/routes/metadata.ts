import { createRoute, z } from '@hono/zod-openapi'
import type { ProbedSource } from '../../../container/protocol.ts'
import { AudioQuality, ProbedFormat, VideoQuality } from '../../../container/protocol.ts'
import { type FailureCode, failures } from '../../domain/codes/failures.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { toDollars } from '../../domain/money/money.ts'
import { builtinCost, CAPTIONS_COST, downloadCost, providerCost } from '../../domain/money/prices.ts'
import { account, api, pass, route } from '../api.ts'
import { reach } from '../jobs/reach.ts'
import { answer, refuse } from '../respond.ts'
import { HttpUrl, keyed, ok, refusals } from '../schemas.ts'

const TIMEOUT_MS = 20_000

const Estimate = z.object({
  imports: z.array(
    z.object({
      includeVideo: z.boolean(),
      includeAudio: z.boolean(),
      videoQuality: VideoQuality,
      audioQuality: AudioQuality,
      downloadBytes: z.number().int().nullable(),
      costInDollars: z.number().nullable().openapi({ description: 'null where the size is not known.' }),
      isEstimate: z.boolean(),
    }),
  ),
  transcription: z.object({
    platformCaptions: z.number().nullable().openapi({ description: 'null where there are no captions.' }),
    builtin: z.number().nullable(),
    provider: z.number().nullable(),
    audioDownload: z.number().nullable().openapi({ description: 'Comes on top of builtin and provider.' }),
  }),
})

const Metadata = z
  .object({
    title: z.string(),
    duration: z.number().nullable().openapi({ description: 'Seconds.' }),
    thumbnailUrl: z.string().nullable(),
    platform: z.string(),
    isLive: z.boolean(),
    direct: z.boolean().openapi({ description: 'A media file itself, with one rendition.' }),
    contentType: z.string().nullable(),
    fileSizeBytes: z.number().int().nullable(),
    formats: z.array(ProbedFormat),
    captions: z.array(z.object({ language: z.string(), kind: z.enum(['manual', 'automatic']) })),
    chapters: z.array(z.object({ title: z.string(), startSeconds: z.number(), endSeconds: z.number() })),
    estimate: Estimate,
  })
  .openapi('Metadata')

const readMetadata = createRoute({
  method: 'get',
  path: '/metadata',
  tags: ['Metadata'],
  summary: 'Look at a source before importing it: sizes, formats, captions and prices. Free.',
  ...keyed,
  request: { query: z.object({ url: HttpUrl }) },
  responses: { 200: ok(Metadata), ...refusals(400, 401, 429) },
})

export const metadata = api()

route(metadata, readMetadata, async (c) => {
  const { url } = c.req.valid('query')
  const entered = await account(c).enter(pass(c))
  c.set('rate', entered.rate)
  if (!entered.result.ok) return refuse(c, entered.result.refusal)
  if (!(await reach(c.var.parts.outbound, url))) return refuse(c, refusal('UNREACHABLE_URL'))
  const probed = await c.var.parts.probe(c.var.caller.accountId, { url, timeoutMs: TIMEOUT_MS })
  if (probed.status === 'failed') return refuse(c, notReadable(probed.code, probed.message))
  return answer(c, entered, () => metadataView(probed.source))
})

/** The same codes as a job would fail with; the request itself is what can't be done. */
const notReadable = (code: string, message: string) => {
  if (code === 'SOURCE_UNREACHABLE' || code === 'SOURCE_NOT_FOUND') return refusal('UNREACHABLE_URL')
  const known = Object.hasOwn(failures, code) ? (code as FailureCode) : 'INTERNAL'
  return refusal('SOURCE_UNREADABLE', { reason: known, retryable: failures[known].retryable }, message)
}

const metadataView = (source: ProbedSource) => ({
  title: source.title,
  duration: source.durationSeconds,
  thumbnailUrl: source.thumbnailUrl,
  platform: source.platform,
  isLive: source.isLive,
  direct: source.direct,
  contentType: source.contentType,
  fileSizeBytes: source.fileSizeBytes,
  formats: source.formats,
  captions: source.captions,
  chapters: source.chapters,
  estimate: estimateOf(source),
})

const estimateOf = ({ downloads, durationSeconds, captions }: ProbedSource) => {
  const audio = downloads.find(({ selection }) => !selection.includeVideo)
  const perDuration = (cost: typeof builtinCost) => (durationSeconds === null ? null : toDollars(cost(durationSeconds)))
  return {
    imports: downloads.map(({ selection, bytes, isEstimate }) => ({
      ...selection,
      downloadBytes: bytes,
      costInDollars: bytes === null ? null : toDollars(downloadCost(bytes)),
      isEstimate,
    })),
    transcription: {
      platformCaptions: captions.length > 0 ? toDollars(CAPTIONS_COST) : null,
      builtin: perDuration(builtinCost),
      provider: perDuration(providerCost),
      audioDownload: audio?.bytes == null ? null : toDollars(downloadCost(audio.bytes)),
    },
  }
}
