import { z } from 'zod'

/** The messages of resolve.py: the fields of yt-dlp's info that are used here, under yt-dlp's names. */

/** A page may state anything as its author or its date. What is no text or number is as if it were not stated. */
const text = z.string().optional().catch(undefined)
const seconds = z.number().optional().catch(undefined)
const count = z.number().nonnegative().optional().catch(undefined)

const Located = z.object({
  url: z.string().optional(),
  protocol: z.string().optional(),
  ext: z.string().optional(),
  http_headers: z.record(z.string(), z.string()).optional(),
  fragments: z.array(z.string().nullable()).optional(),
  fragment_seconds: z.array(z.number().nonnegative().nullable().catch(null)).optional().catch(undefined),
  fragment_base_url: z.string().optional(),
  /** Captions in DASH: the index of the period, and the seconds to add to the times (manifests.py). */
  period: z.number().optional(),
  shift: z.number().optional(),
})
export type Located = z.infer<typeof Located>

const Format = Located.extend({
  format_id: z.string(),
  manifest_url: z.string().optional(),
  vcodec: z.string().optional(),
  acodec: z.string().optional(),
  width: count,
  height: count,
  tbr: count,
  abr: count,
  filesize: count,
  filesize_approx: count,
  language: z.string().optional(),
  /** Orders audio formats whose bitrate is unknown (manifests.py). */
  tier: count,
  has_drm: z.union([z.boolean(), z.string()]).optional(),
})
export type Format = z.infer<typeof Format>

const Tracks = z.record(z.string(), z.array(Located))
export type Tracks = z.infer<typeof Tracks>

export const Info = z.object({
  title: z.string().optional(),
  duration: count,
  thumbnail: z.string().optional(),
  extractor: z.string().optional(),
  webpage_url: z.string().optional(),
  direct: z.boolean().optional(),
  language: z.string().optional(),
  is_live: z.boolean().optional(),
  live_status: z.string().optional(),
  id: text,
  uploader: text,
  channel: text,
  creator: text,
  timestamp: seconds,
  release_timestamp: seconds,
  upload_date: text,
  description: text,
  tags: z.array(z.string()).optional().catch(undefined),
  formats: z.array(Format),
  subtitles: Tracks,
  automatic_captions: Tracks,
  chapters: z.array(z.object({ title: z.string().optional(), start_time: z.number(), end_time: z.number() })),
  several: z.boolean(),
})
export type Info = z.infer<typeof Info>

/** What listing.py answers. A single video is a list of one. */
export const List = z.object({
  title: z.string().optional(),
  extractor: z.string().optional(),
  isSingle: z.boolean(),
  /** Its end was reached. */
  isWhole: z.boolean(),
  channel_id: text,
  count: z.number().int().nonnegative().nullable(),
  items: z.array(z.object({ url: z.string(), title: z.string().optional(), duration: count, id: text, ie_key: text })),
})
export type List = z.infer<typeof List>

const Failed = z.union([
  z.object({ playlist: z.literal(true) }),
  z.object({ error: z.object({ kind: z.string(), text: z.string() }) }),
  z.object({ died: z.string().nullable() }),
])
export type Failed = z.infer<typeof Failed>

export const ExtractorAnswer = z.union([z.object({ info: Info }), Failed])
export const ListAnswer = z.union([z.object({ list: List }), Failed])
