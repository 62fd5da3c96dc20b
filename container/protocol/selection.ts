import { z } from 'zod'

export const VideoQuality = z.enum([
  'lowest',
  '144p',
  '240p',
  '360p',
  '480p',
  '720p',
  '1080p',
  '1440p',
  '2160p',
  'best',
])
export const AudioQuality = z.enum(['lowest', 'low', 'medium', 'high', 'best'])

/** What of the source the caller wants. */
export const Selection = z.object({
  includeVideo: z.boolean(),
  includeAudio: z.boolean(),
  videoQuality: VideoQuality,
  audioQuality: AudioQuality,
})
export type Selection = z.infer<typeof Selection>
