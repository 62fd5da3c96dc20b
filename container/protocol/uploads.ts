import { z } from 'zod'

/** Asks for a place to put bytes. One per kind and attempt; asking again begins anew. */
export const UploadOrder = z.object({
  kind: z.enum(['media', 'thumbnail', 'audio', 'transcript']),
  /** Which of several, counted from 0: pieces of audio. */
  index: z.number().int().nonnegative().optional(),
  contentType: z.string(),
  /** null while the end is not known; then the plan is always multipart. */
  sizeBytes: z.number().int().nonnegative().nullable(),
})
export type UploadOrder = z.infer<typeof UploadOrder>

export const UploadPlan = z.discriminatedUnion('kind', [
  /** One PUT of the whole. */
  z.object({ kind: z.literal('single'), key: z.string(), url: z.url() }),
  /** Parts of exactly `partSizeBytes` but the last; their addresses come from PartsOrder. */
  z.object({
    kind: z.literal('multipart'),
    key: z.string(),
    uploadId: z.string(),
    partSizeBytes: z.number().int().positive(),
  }),
])
export type UploadPlan = z.infer<typeof UploadPlan>

export const PartsOrder = z.object({
  key: z.string(),
  uploadId: z.string(),
  /** Counts from 1. */
  firstPart: z.number().int().positive(),
  count: z.number().int().min(1).max(100),
})
export type PartsOrder = z.infer<typeof PartsOrder>

export const PartsPlan = z.object({ urls: z.array(z.url()) })
export type PartsPlan = z.infer<typeof PartsPlan>

/** A finished upload. `parts` are the ETags in order, or null for a single PUT. */
export const Uploaded = z.object({
  key: z.string(),
  uploadId: z.string().nullable(),
  parts: z.array(z.string()).nullable(),
  sizeBytes: z.number().int().nonnegative(),
})
export type Uploaded = z.infer<typeof Uploaded>
