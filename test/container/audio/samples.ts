import { open } from 'node:fs/promises'
import { BYTES_PER_SAMPLE, type Pcm, type SampleRange } from '../../../container/audio/decode.ts'

/** The samples of one range, all in memory: for a few minutes, not for a whole recording. */
export const readSamples = async ({ path }: Pcm, { start, end }: SampleRange): Promise<Buffer> => {
  const file = await open(path)
  try {
    const size = (end - start) * BYTES_PER_SAMPLE
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, start * BYTES_PER_SAMPLE)
    if (bytesRead < size) throw new Error(`${path} is shorter than its sample count`)
    return buffer
  } finally {
    await file.close()
  }
}
