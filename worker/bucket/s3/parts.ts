import { inParallel } from '../../../domain/lanes.ts'
import { type CopyRun, type OpenUpload, withRetries } from './copy-state.ts'
import { payloadOf, readInto } from './payload.ts'

const MIB = 1024 * 1024

/** The runtime may buffer a whole request body, so parallel uploads × part size stays below this for any file size. */
const MEMORY_BYTES = 32 * MIB
const MAX_PARALLEL_UPLOADS = 4
const MIN_PART_BYTES = 8 * MIB
const MAX_PART_BYTES = 32 * MIB
/** The limit of S3. Usual files have at most about 1,000 parts, which keeps the saved state small. */
const MAX_PARTS = 10_000
const USUAL_PARTS = 1000

export const MAX_COPY_BYTES = MAX_PARTS * MAX_PART_BYTES

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** R2 requires that all parts except the last have the same size. Valid for sizes up to `MAX_COPY_BYTES`. */
export const partSizeFor = (sizeBytes: number): number =>
  clamp(Math.ceil(sizeBytes / USUAL_PARTS / MIB) * MIB, MIN_PART_BYTES, MAX_PART_BYTES)

export const parallelUploadsFor = (partSizeBytes: number): number =>
  clamp(Math.floor(MEMORY_BYTES / partSizeBytes), 1, MAX_PARALLEL_UPLOADS)

export const partRanges = (sizeBytes: number, partSizeBytes: number) =>
  Array.from({ length: Math.ceil(sizeBytes / partSizeBytes) }, (_, index) => {
    const offset = index * partSizeBytes
    return { number: index + 1, offset, lengthBytes: Math.min(partSizeBytes, sizeBytes - offset) }
  })

/** Uploads in a few parallel loops, each of which reuses one buffer. False: the deadline passed before the last part. */
export const uploadMissingParts = async ({ bucket, file, runtime }: CopyRun, upload: OpenUpload): Promise<boolean> => {
  const { uploadId, checksums } = upload
  const uploaded = new Set(upload.parts.map(({ number }) => number))
  const missing = partRanges(file.sizeBytes, upload.partSizeBytes).filter(({ number }) => !uploaded.has(number))
  const save = oneAtATime(() => runtime.save(structuredClone(upload)))

  const uploadLoop = async (signal: AbortSignal): Promise<void> => {
    let memory = new ArrayBuffer(upload.partSizeBytes)
    while (runtime.now() < runtime.deadline && !signal.aborted) {
      const range = missing.shift()
      if (!range) return
      const bytes = await readInto(memory, range.lengthBytes, await file.read(range.offset, range.lengthBytes))
      memory = bytes.buffer
      const part = { uploadId, number: range.number, payload: await payloadOf(bytes), checksums }
      upload.parts.push(await withRetries(runtime, () => bucket.uploadPart(file.key, part, signal), signal))
      await save()
    }
  }
  const loops = Math.min(parallelUploadsFor(upload.partSizeBytes), missing.length)
  await inParallel(loops, uploadLoop, runtime.signal)
  return missing.length === 0
}

/** Runs saves in sequence, so that an older state never overwrites a newer one, and merges the waiting saves into one. */
const oneAtATime = (save: () => Promise<void>): (() => Promise<void>) => {
  let running = Promise.resolve()
  let waiting: Promise<void> | null = null
  return () => {
    if (waiting) return waiting
    running = running.then(() => {
      waiting = null
      return save()
    })
    waiting = running
    return running
  }
}
