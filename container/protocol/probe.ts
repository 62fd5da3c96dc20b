import { z } from 'zod'
import { Selection } from './selection.ts'

export const ProbeOrder = z.object({ url: z.url(), timeoutMs: z.number().int().positive() })
export type ProbeOrder = z.infer<typeof ProbeOrder>

export const ProbedFormat = z.object({
  id: z.string(),
  quality: z.string(),
  container: z.string(),
  videoCodec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
  bitrate: z.number().int().nullable(),
  sizeBytes: z.number().int().nullable(),
  sizeIsEstimate: z.boolean(),
})
export type ProbedFormat = z.infer<typeof ProbedFormat>

export const ProbedSource = z.object({
  title: z.string(),
  durationSeconds: z.number().nonnegative().nullable(),
  thumbnailUrl: z.url().nullable(),
  platform: z.string(),
  isLive: z.boolean(),
  direct: z.boolean(),
  contentType: z.string().nullable(),
  fileSizeBytes: z.number().int().nonnegative().nullable(),
  formats: z.array(ProbedFormat),
  captions: z.array(z.object({ language: z.string(), kind: z.enum(['manual', 'automatic']) })),
  chapters: z.array(z.object({ title: z.string(), startSeconds: z.number(), endSeconds: z.number() })),
  /** Bytes an import would download for each wanted quality, audio-only first; null where nobody knows. */
  downloads: z.array(z.object({ selection: Selection, bytes: z.number().int().nullable(), isEstimate: z.boolean() })),
})
export type ProbedSource = z.infer<typeof ProbedSource>

export const ProbeAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('done'), source: ProbedSource }),
  z.object({ status: z.literal('failed'), code: z.string(), message: z.string() }),
])
export type ProbeAnswer = z.infer<typeof ProbeAnswer>
