import { lastSegmentOf } from '../../../domain/bucket/object-name.ts'
import type { ImportJob, JobOutput, StoredObject } from '../../../domain/jobs/job.ts'
import { transcriptOf } from '../../../domain/jobs/parts.ts'
import { mediaKeys, wordsKeysOf } from '../../../domain/media/media-keys.ts'
import { downloadsNothing } from '../../../domain/money/bill.ts'
import { zero } from '../../../domain/money/money.ts'
import { downloadCost } from '../../../domain/money/prices.ts'
import type { JobRow } from './job-rows.ts'

/** What a job that has not ended has made: an import in `carry` and its parts, a transcription in its parts. */

/** The stored objects. */
export const keysOfMade = (job: JobRow): string[] => [
  ...(job.kind === 'import' && job.carry ? mediaKeys(job.id, job.carry.stored) : []),
  ...wordsKeysOf(job),
]

/** `bucket`: where its main file was copied to. Returns null if it has made nothing. */
export const outputOf = (job: JobRow, bucket: StoredObject | null): JobOutput | null => {
  if (job.kind === 'import') return job.carry && { kind: 'import', result: { ...withoutAudio(job.carry), bucket } }
  const words = transcriptOf(job.parts)
  if (!words) return null
  const { carry, prices } = job
  const withoutDownload = downloadsNothing(job) ? zero : null
  const downloadCostMicros = carry ? downloadCost(prices, carry.downloadedBytes) : withoutDownload
  return { kind: 'transcription', result: { ...words, downloadCostMicros, bucket } }
}

/** Without the audio, which is no longer needed. In a bucket, the media has the name that its key there ends with. */
export const withoutAudio = ({ audio: _, ...media }: NonNullable<ImportJob['carry']>, bucketKey?: string) =>
  bucketKey === undefined ? media : { ...media, filename: lastSegmentOf(bucketKey) }
