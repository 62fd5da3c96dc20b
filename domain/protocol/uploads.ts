import { z } from 'zod'

/** Requests presigned URLs for one upload. One upload per kind and attempt: a second request restarts it. */
export const UploadRequest = z.object({
  /** `tracks`: captions that are files, all in one object. */
  kind: z.enum(['media', 'thumbnail', 'audio', 'turns', 'transcript', 'tracks']),
  /** The index of the audio piece, from 0. */
  index: z.number().int().nonnegative().optional(),
  contentType: z.string(),
  /** null if unknown; the plan is multipart then. */
  sizeBytes: z.number().int().nonnegative().nullable(),
})
export type UploadRequest = z.infer<typeof UploadRequest>

/** An object that one PUT stores. */
const SingleUpload = z.object({ key: z.string(), url: z.url() })

/** The order of a fetch has these, so that the container asks only for what is larger, or for what has failed. */
export const PlannedUploads = z.object({
  media: SingleUpload,
  thumbnail: SingleUpload,
  /** Absent: the order asks for no captions. */
  tracks: SingleUpload.optional(),
  maxBytes: z.number().int().positive(),
})
export type PlannedUploads = z.infer<typeof PlannedUploads>

export const UploadPlan = z.discriminatedUnion('kind', [
  SingleUpload.extend({ kind: z.literal('single') }),
  /** All parts but the last are exactly `partSizeBytes`. PartsRequest returns their URLs. */
  z.object({
    kind: z.literal('multipart'),
    key: z.string(),
    uploadId: z.string(),
    partSizeBytes: z.number().int().positive(),
    /** Of the first parts. */
    urls: z.array(z.url()),
  }),
])
export type UploadPlan = z.infer<typeof UploadPlan>

export const PartsRequest = z.object({
  key: z.string(),
  uploadId: z.string(),
  firstPart: z.number().int().positive(),
  count: z.number().int().min(1).max(100),
})
export type PartsRequest = z.infer<typeof PartsRequest>

export const PartsPlan = z.object({ urls: z.array(z.url()) })
export type PartsPlan = z.infer<typeof PartsPlan>

/** A finished upload. `parts` are the ETags in order, null for a single PUT. */
export const Uploaded = z.object({
  key: z.string(),
  uploadId: z.string().nullable(),
  parts: z.array(z.string()).nullable(),
  sizeBytes: z.number().int().nonnegative(),
})
export type Uploaded = z.infer<typeof Uploaded>
