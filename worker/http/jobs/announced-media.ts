import { firstStep, type ImportRequest, type JobKind, type TranscribeRequest } from '../../../domain/jobs/job.ts'
import { announcedDiskBytes, largestMediaBytes } from '../../../domain/jobs/step-resources.ts'
import { type Config, expectedDiskBytes } from '../../env.ts'
import type { SourceCheck } from './check-source-url.ts'

export interface AnnouncedMedia {
  /** The size that the job holds money for. null: unknown. */
  billedBytes: number | null
  /** What its first step needs. null: as usual. */
  diskBytes: number | null
}

/**
 * What follows from the size that a source has announced. A job with media that is too large is accepted, holds nothing
 * for its size and fails with MEDIA_TOO_LARGE, because no container has the disk space. Otherwise a caller would be told
 * to pay for media that is then refused.
 */
export const announcedMedia = (
  config: Config,
  kind: JobKind,
  request: ImportRequest | TranscribeRequest,
  { sizeBytes }: SourceCheck,
): AnnouncedMedia => {
  // Nobody knows yet how much of it a clip needs.
  if (request.clip) return { billedBytes: null, diskBytes: null }
  const isTooLarge = sizeBytes !== null && sizeBytes > largestMediaBytes(expectedDiskBytes(config), 'oneFile')
  const diskBytes = announcedDiskBytes(firstStep(kind, request), sizeBytes)
  return { billedBytes: isTooLarge ? null : sizeBytes, diskBytes }
}
