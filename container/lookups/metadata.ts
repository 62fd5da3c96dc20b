import { contentTypeOf } from '../../domain/media/media-types.ts'
import type {
  ListRequest,
  ListResponse,
  ProbedFormat,
  ProbedSource,
  ProbeRequest,
  ProbeResponse,
} from '../../domain/protocol/protocol.ts'
import type { Egress } from '../egress/egress.ts'
import { causeOf, failedOutcome, SourceFailure, UrlIsPlaylist } from '../failures.ts'
import { errorFields } from '../log.ts'
import { sizeOf } from '../media/open-rendition.ts'
import { listSource } from '../source/list/list-source.ts'
import { resolve } from '../source/resolve.ts'
import { type SharedTools, SourceRefused, untilServed, type Workspace } from '../source/routes/until-served.ts'
import type { Rendition } from '../source/source.ts'
import { Interrupted } from '../source/transfer/retry-policy.ts'
import type { KnownAudio } from '../steps/download/known-audio.ts'
import { readByOf } from '../steps/run.ts'
import { downloadsOf, type OpenedSource, openUnknown } from './open-unknown.ts'

export const MAX_PROBE_MS = 20_000
/** What is left for the answer when the media takes long to open. */
const ANSWER_MS = 1_500

/** Describes the media behind a URL without importing it, or lists the start of a playlist. */
export const describeSource = (
  { url, listLimit, timeoutMs }: ProbeRequest,
  tools: SharedTools,
  signal: AbortSignal,
): Promise<ProbeResponse> => {
  const startedAt = performance.now()
  const probeMs = Math.min(timeoutMs, MAX_PROBE_MS)
  return lookUp(url, probeMs, tools, signal, async (workspace) => {
    try {
      const source = await resolve(url, workspace)
      const openMs = probeMs - ANSWER_MS - (performance.now() - startedAt)
      const opened = await openUnknown(source, workspace, openMs)
      for (const { transport } of source.renditions) if (transport.kind === 'file') transport.opened?.discard()
      return { status: 'done', source: { ...probedSource(opened), readBy: readByOf(workspace.extractor) } }
    } catch (error) {
      if (!(error instanceof UrlIsPlaylist) || listLimit === undefined) throw error
      return { status: 'list', ...(await listSource(url, listLimit, workspace)) }
    }
  })
}

const probedSource = (source: OpenedSource): ProbedSource => {
  const renditions = source.renditions.map(source.known)
  const [only] = renditions
  return {
    title: source.title,
    durationSeconds: source.durationSeconds,
    durationIsEstimate: source.durationIsEstimate,
    thumbnailUrl: source.thumbnailUrl,
    platform: source.platform,
    isLive: source.isLive,
    direct: source.direct,
    contentType: source.direct && only ? contentTypeOf(only.container ?? '', only.videoCodec !== null) : null,
    fileSizeBytes: source.direct && only && !only.sizeIsEstimate ? only.sizeBytes : null,
    formats: renditions.map((rendition) => formatOf(rendition, source.durationSeconds)),
    captions: source.captions.map(({ language, kind }) => ({ language, kind })),
    chapters: source.chapters,
    downloads: downloadsOf(source.renditions, source.known, source.durationSeconds),
    speech: source.speech && speechOf(source.speech),
  }
}

const speechOf = ({ length, size }: KnownAudio): ProbedSource['speech'] => ({
  durationSeconds: length.seconds,
  durationIsEstimate: length.isEstimate,
  downloadBytes: size.bytes,
  downloadIsEstimate: size.isEstimate,
})

const formatOf = (rendition: Rendition, durationSeconds: number | null): ProbedFormat => {
  const { id, container, videoCodec, audioCodec, width, height, bitrate } = rendition
  const lines = width !== null && height !== null ? Math.min(width, height) : height
  const quality = videoCodec === null ? 'audio' : lines === null ? 'video' : `${lines}p`
  const codecs = { videoCodec, audioCodec, width, height, bitrate: bitrate && Math.round(bitrate) }
  return { id, quality, container: container ?? 'unknown', ...codecs, ...sizeOf(rendition, durationSeconds) }
}

/** A channel's list of 500 items takes five to ten requests to its platform. */
export const MAX_LIST_MS = 120_000

export const listItems = (
  { url, limit, timeoutMs }: ListRequest,
  tools: SharedTools,
  signal: AbortSignal,
): Promise<ListResponse> =>
  lookUp(url, Math.min(timeoutMs, MAX_LIST_MS), tools, signal, async (workspace) => ({
    status: 'done',
    ...(await listSource(url, limit, workspace)),
  }))

/** The answer to a request outside of any job. `url`: null if its file is in our own storage. */
export const lookUp = async <T>(
  url: string | null,
  timeoutMs: number,
  tools: SharedTools,
  gone: AbortSignal,
  work: (workspace: Workspace) => Promise<T>,
  withheld?: (answer: T) => string | null,
): Promise<(T | FailedLookup) & { readBytes: number }> => {
  const egresses: Egress[] = []
  const signal = AbortSignal.any([gone, AbortSignal.timeout(timeoutMs)])
  const answer = await untilServed({
    url,
    tools,
    signal,
    work: (workspace) => {
      egresses.push(workspace.egress)
      return work(workspace)
    },
    ...(withheld && { withheld }),
  }).catch((error) => failedLookup(failureOf(error, tools, signal)))
  return { ...answer, readBytes: egresses.reduce((sum, { readBytes }) => sum + readBytes, 0) }
}

type FailedLookup = ReturnType<typeof failedOutcome> & { retryAfterSeconds?: number }

const failedLookup = (failure: SourceFailure): FailedLookup => {
  const retryAfterMs = causeOf(failure, Interrupted)?.retryAfterMs ?? null
  return {
    ...failedOutcome(failure),
    ...(retryAfterMs !== null && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
  }
}

const failureOf = (error: unknown, { log }: SharedTools, signal: AbortSignal): SourceFailure => {
  // There was no time for another try.
  if (error instanceof SourceRefused) return error
  if (signal.aborted) return new SourceFailure('TIMED_OUT')
  if (error instanceof SourceFailure) return error
  log('look-up failed', errorFields(error))
  return new SourceFailure('INTERNAL')
}
