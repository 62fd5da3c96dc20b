import { create as contentDisposition } from 'content-disposition'
import { lastSegmentOf, objectKey } from '../../domain/bucket/object-name.ts'
import type { StorageSettings } from '../../domain/bucket/storage-settings.ts'
import { toHex } from '../../domain/encoding.ts'
import { type ImportJob, type Job, storageOf } from '../../domain/jobs/job.ts'
import { keyBeside, type PartFile, partFilesOf } from '../../domain/jobs/job-files.ts'
import { mediaKey } from '../../domain/media/media-keys.ts'
import { openPartFile } from '../media/job-files.ts'
import type { FileToDeliver } from './s3/copy-files.ts'
import { sha256 } from './s3/payload.ts'

/** What a job copies into its caller's bucket, in this order: small files first, the media last. */
export const filesToDeliver = (env: Env, job: Job, settings: StorageSettings): FileToDeliver[] => {
  const main = mainKeyOf(job, settings)
  const parts = partFilesOf(job).map((file) => partFile(env, job, keyBeside(main, file.suffix), file, settings))
  return job.kind === 'import' ? [...parts, mediaFile(env, job, main, settings)] : parts
}

/** The key of the main file. A transcription has none: its key only names the files beside it. */
export const mainKeyOf = ({ id, bucketKey }: Job, { pathPrefix }: StorageSettings): string => {
  if (bucketKey === undefined) throw new Error(`${id} has no key in a bucket`)
  const filename = lastSegmentOf(bucketKey)
  const storagePath = bucketKey.slice(0, -filename.length)
  return objectKey({ pathPrefix: pathPrefix ?? '', storagePath, filename })
}

const metadataOf = (job: Job, key: string, settings: StorageSettings) => ({
  contentDisposition: contentDisposition(lastSegmentOf(key), { type: 'inline' }),
  storageClass: storageOf(job)?.storageClass ?? settings.storageClass ?? undefined,
})

/** It is small, so all of it is in memory while it is sent. */
const partFile = (env: Env, job: Job, key: string, file: PartFile, settings: StorageSettings): FileToDeliver => ({
  key,
  open: async () => {
    const body = await openPartFile(env, job, file)
    if (!body) throw new Error(`${file.name} of ${job.id} is not stored`)
    const bytes = new Uint8Array(await new Response(body as BodyInit).arrayBuffer())
    const { contentType } = file
    return {
      sizeBytes: bytes.length,
      metadata: { ...metadataOf(job, key, settings), contentType, sha256: toHex(await sha256(bytes)) },
      read: async (offset, length) => new Blob([bytes.subarray(offset, offset + length)]).stream(),
    }
  },
})

const mediaFile = (env: Env, job: ImportJob, key: string, settings: StorageSettings): FileToDeliver => {
  const media = job.carry
  if (!media) throw new Error(`${job.id} has no fetched media`)
  const { contentType, fileSizeBytes: sizeBytes } = media
  return {
    key,
    open: async () => ({
      sizeBytes,
      metadata: { ...metadataOf(job, key, settings), contentType, sha256: media.sha256 },
      read: async (offset, length) => {
        const stored = mediaKey(job.id, media.stored)
        const object = await env.MEDIA.get(stored, { range: { offset, length } })
        if (!object) throw new Error(`${stored} is missing in R2`)
        return object.body
      },
    }),
  }
}
