import { lastSegmentOf } from '../../../domain/bucket/object-name.ts'
import type { ImportJob, JobOutput, StoredObject } from '../../../domain/jobs/job.ts'
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

/** `bucket`: where its main file was copied to. null: nothing is made. */
export const outputOf = (job: JobRow, bucket: StoredObject | null): JobOutput | null => {
  if (job.kind === 'import') return job.carry && { kind: 'import', result: { ...withoutAudio(job.carry), bucket } }
  const words = job.parts?.find(({ kind }) => kind === 'transcript')
  if (words?.state !== 'completed' || !words.words) return null
  const { carry, prices } = job
  const withoutDownload = downloadsNothing(job) ? zero : null
  const downloadCostMicros = carry ? downloadCost(prices, carry.downloadedBytes) : withoutDownload
  return { kind: 'transcription', result: { ...words.words, downloadCostMicros, bucket } }
}

/** The audio is needed no more. A file is named as in the bucket. */
export const withoutAudio = ({ audio: _, ...media }: NonNullable<ImportJob['carry']>, bucketKey?: string) =>
  bucketKey === undefined ? media : { ...media, filename: lastSegmentOf(bucketKey) }
