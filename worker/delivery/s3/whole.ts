import { verify } from './check.ts'
import { offering } from './offer.ts'
import { base64, payloadOf } from './payload.ts'
import type { Run } from './run.ts'
import { readInto } from './source.ts'

/** A file of at most one part: PUT and look. */
export const sendWhole = async (run: Run): Promise<true> => {
  const { bucket, file, runtime } = run
  const source = await file.read(0, file.sizeBytes)
  const payload = await payloadOf(await readInto(new ArrayBuffer(file.sizeBytes), file.sizeBytes, source))
  const checksum = await offering(run, async (checksums) => {
    await bucket.put(file.key, payload, file.facts, checksums, runtime.signal)
    return checksums ? base64(payload.digest) : null
  })
  await verify(run, checksum)
  return true
}
