import { z } from 'zod'
import { SpeechModel } from './models.ts'
import { LinkedFiles, Selection } from './orders.ts'
import { Chapter, ReadBy } from './reports.ts'

export const Work = z.enum(['network', 'cpu'])
export type Work = z.infer<typeof Work>

export const ExtractorState = z.object({
  /** null: it is still starting. */
  version: z.string().nullable(),
  /** YTDLP_CHANNEL: `pinned`, `stable`, `nightly`, or a version. */
  channel: z.string(),
  /** Why the newest version of the channel is not used, or could not be looked for. null: it is used. */
  problem: z.string().nullable(),
})
export type ExtractorState = z.infer<typeof ExtractorState>

/** The fleet asks every few seconds. It is also the sign of life, so it is answered without waiting for anything. */
export const EngineState = z.object({
  /** `unfit`: it cannot isolate what steps start. `draining`: it finishes its steps and takes no more. */
  status: z.enum(['ok', 'unfit', 'draining']),
  /** Since the start of its process, which has none of the steps that were placed on the engine before. */
  uptimeMs: z.number().nonnegative(),
  places: z.record(Work, z.number().int().nonnegative()),
  diskBytes: z.number().int().nonnegative(),
  extractor: ExtractorState,
  /** Whether it can find out who speaks. Absent: it has not looked yet. */
  speakers: z.boolean().optional(),
  /** What it can recognize speech with. Absent: it has not looked yet. */
  models: z.array(SpeechModel).optional(),
  running: z.array(
    z.object({
      jobId: z.string(),
      step: z.string(),
      attempt: z.number().int(),
      accountId: z.string(),
      /** Also the lease of the step. */
      placeId: z.string(),
      diskBytes: z.number().int().nonnegative(),
    }),
  ),
})
export type EngineState = z.infer<typeof EngineState>

export const StopRequest = z.object({ jobId: z.string(), attempt: z.number().int() })
export type StopRequest = z.infer<typeof StopRequest>

export const StopResponse = z.object({ wasRunning: z.boolean() })

export const Health = z.object({
  status: z.enum(['ok', 'degraded', 'stopping']),
  running: z.number().int(),
  capacity: z.number().int(),
  /** Name → true, or a sentence that describes what is wrong. */
  parts: z.record(z.string(), z.union([z.literal(true), z.string()])),
  extractor: ExtractorState,
})
export type Health = z.infer<typeof Health>

/** Outside of Cloudflare's network a Worker's fetch reaches private addresses, so the container checks each host. */
export const ResolveRequest = z.object({ host: z.string(), port: z.number().int() })
export const ResolveResponse = z.object({
  allowed: z.boolean(),
  hasSourceProxy: z.boolean(),
})
export type ResolveResponse = z.infer<typeof ResolveResponse>

export const ProbeRequest = z.object({
  url: z.url(),
  /** Includes the wait for a place. */
  timeoutMs: z.number().int().positive(),
  /** A playlist is answered with so many of its items. Absent: it is a failure, as for an import. */
  listLimit: z.number().int().positive().optional(),
})
export type ProbeRequest = z.infer<typeof ProbeRequest>

export const ProbedFormat = z.object({
  id: z.string(),
  quality: z.string().meta({ example: '1080p' }),
  container: z.string().meta({ example: 'mp4' }),
  videoCodec: z.string().meta({ example: 'h264' }).nullable(),
  audioCodec: z.string().meta({ example: 'aac' }).nullable(),
  width: z.number().int().meta({ example: 1920 }).nullable(),
  height: z.number().int().meta({ example: 1080 }).nullable(),
  bitrate: z.number().int().meta({ example: 1_934_000 }).nullable(),
  sizeBytes: z.number().int().nullable(),
  sizeIsEstimate: z.boolean(),
})
export type ProbedFormat = z.infer<typeof ProbedFormat>

export const ProbedSource = z.object({
  title: z.string(),
  durationSeconds: z.number().nonnegative().nullable(),
  durationIsEstimate: z.boolean(),
  thumbnailUrl: z.url().nullable(),
  platform: z.string(),
  readBy: ReadBy.optional(),
  isLive: z.boolean(),
  direct: z.boolean(),
  contentType: z.string().nullable(),
  fileSizeBytes: z.number().int().nonnegative().nullable(),
  formats: z.array(ProbedFormat),
  captions: z.array(z.object({ language: z.string(), kind: z.enum(['manual', 'automatic']) })),
  chapters: z.array(Chapter),
  /** Bytes an import would download for each quality, audio-only first; null if unknown. */
  downloads: z.array(z.object({ selection: Selection, bytes: z.number().int().nullable(), isEstimate: z.boolean() })),
  /** Not the sound of an import, which has the best quality. null: the source has no sound. */
  speech: z
    .object({
      durationSeconds: z.number().nonnegative().nullable(),
      durationIsEstimate: z.boolean(),
      downloadBytes: z.number().int().nonnegative().nullable(),
      downloadIsEstimate: z.boolean(),
    })
    .nullable(),
})
export type ProbedSource = z.infer<typeof ProbedSource>

export const Sites = z.object({
  version: z.string(),
  sites: z.array(z.object({ name: z.string(), isBroken: z.boolean() })),
})
export type Sites = z.infer<typeof Sites>

/** Lists a playlist, a channel, a podcast's feed, or the videos of a page. A single video is a list of one. */
export const ListRequest = ProbeRequest.omit({ listLimit: true }).extend({
  limit: z.number().int().positive(),
})
export type ListRequest = z.infer<typeof ListRequest>

export const ListedItem = z.object({
  url: z.url(),
  title: z.string().nullable(),
  durationSeconds: z.number().nonnegative().nullable(),
  linked: LinkedFiles.optional(),
})
export type ListedItem = z.infer<typeof ListedItem>

const Answer = z.object({
  readBytes: z.number().int().nonnegative().optional(),
})

const List = Answer.extend({
  title: z.string().nullable(),
  /** The length of the whole list, if the source states it. */
  count: z.number().int().nonnegative().nullable(),
  items: z.array(ListedItem),
})

const FailedLookup = Answer.extend({
  status: z.literal('failed'),
  code: z.string(),
  message: z.string(),
  /** Retry-After of the source, however long. Absent: it states none. */
  retryAfterSeconds: z.number().int().nonnegative().optional(),
})

export const ListResponse = z.discriminatedUnion('status', [List.extend({ status: z.literal('done') }), FailedLookup])
export type ListResponse = z.infer<typeof ListResponse>

export const ProbeResponse = z.discriminatedUnion('status', [
  Answer.extend({ status: z.literal('done'), source: ProbedSource }),
  List.extend({ status: z.literal('list') }),
  FailedLookup,
])
export type ProbeResponse = z.infer<typeof ProbeResponse>

/** Reads what a watch follows. */
export const FollowRequest = ProbeRequest.omit({ listLimit: true }).extend({
  /** At most so many entries: the newest, if the feed has more. */
  limit: z.number().int().positive(),
  /** The feed that an earlier answer named. null: the engine finds out what the URL is. */
  feedUrl: z.url().nullable(),
  /** With the feed of a platform, its page is listed too. */
  withPage: z.boolean(),
})
export type FollowRequest = z.infer<typeof FollowRequest>

export const FollowedItem = ListedItem.extend({
  /** Of the feed's entry: `guid`, `id` or `rdf:about`. More than 2,048 characters: `sha256:` and their hash in hex. */
  guid: z.string().nullable(),
  /** Milliseconds since 1970. */
  publishedAt: z.number().int().nullable(),
  /** `extractor:id`, such as `youtube:dQw4w9WgXcQ`: the same from the feed and from the page. */
  platformId: z.string().nullable(),
})
export type FollowedItem = z.infer<typeof FollowedItem>

const FollowedList = z.object({
  title: z.string().nullable(),
  items: z.array(FollowedItem),
  source: z.enum(['feed', 'page']),
  /** The feed to read from now on: as it was named, not where it redirects to. null: a page without a feed. */
  feedUrl: z.url().nullable(),
  /** The list was read to its end. The feed of a platform has only its newest entries. */
  isWhole: z.boolean(),
  /** Of the response that the feed's entries are from. null for a page. */
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  /** SHA-256 in hex of the feed after content decoding. null for a page. */
  digest: z.string().nullable(),
})
export type FollowedList = z.infer<typeof FollowedList>

export const FollowResponse = z.discriminatedUnion('status', [
  Answer.extend({ status: z.literal('done'), ...FollowedList.shape }),
  FailedLookup,
])
export type FollowResponse = z.infer<typeof FollowResponse>

/** Whether a file in our own storage is media. `url` is presigned. */
export const InspectRequest = ProbeRequest.omit({ listLimit: true }).extend({ sizeBytes: z.number().int().positive() })
export type InspectRequest = z.infer<typeof InspectRequest>

export const InspectResponse = z.discriminatedUnion('status', [
  Answer.extend({
    status: z.literal('done'),
    contentType: z.string(),
    extension: z.string(),
    durationSeconds: z.number().nonnegative().nullable(),
  }),
  FailedLookup,
])
export type InspectResponse = z.infer<typeof InspectResponse>
