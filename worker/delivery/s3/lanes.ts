import type { SentPart } from './client.ts'
import { patiently } from './patience.ts'
import { type Bytes, payloadOf } from './payload.ts'
import { lanesFor, partRanges } from './plan.ts'
import type { OpenUpload, Run } from './run.ts'
import { readInto } from './source.ts'

/**
 * Sends the parts that are missing, over a few lanes, each with memory of its own that it fills, hashes and sends
 * again and again. The first lane that fails stops the others, and its reason is the run's. False when
 * the deadline came before the last part.
 */
export const sendLanes = async (run: Run, upload: OpenUpload): Promise<boolean> => {
  const { file, runtime } = run
  const sent = new Set(upload.parts.map(({ number }) => number))
  const missing = partRanges(file.sizeBytes, upload.partSizeBytes).filter(({ number }) => !sent.has(number))
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, runtime.signal])
  const save = inTurn(() => runtime.save(structuredClone(upload)))

  const lane = async (): Promise<void> => {
    let memory = new ArrayBuffer(upload.partSizeBytes)
    while (runtime.now() < runtime.deadline && !signal.aborted) {
      const range = missing.shift()
      if (!range) return
      const bytes = await readInto(memory, range.lengthBytes, await file.read(range.offset, range.lengthBytes))
      memory = bytes.buffer
      upload.parts.push(await sendPart(run, upload, range.number, bytes, signal))
      await save()
    }
  }
  const lanes = Math.min(lanesFor(upload.partSizeBytes), missing.length)
  await Promise.all(Array.from({ length: lanes }, () => lane().catch((reason) => stop.abort(reason))))
  signal.throwIfAborted()
  return missing.length === 0
}

const sendPart = async (
  { bucket, file, runtime }: Run,
  { uploadId, checksums }: OpenUpload,
  number: number,
  bytes: Bytes,
  signal: AbortSignal,
): Promise<SentPart> => {
  const part = { uploadId, number, payload: await payloadOf(bytes), checksums }
  return await patiently(runtime, signal, () => bucket.uploadPart(file.key, part, signal))
}

/** Saves follow one another, so that an older state never lands on a newer one; those that wait become one. */
const inTurn = (save: () => Promise<void>): (() => Promise<void>) => {
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
