import { truncate, writeFile } from 'node:fs/promises'

/** 10 GB last less than four hours. */
const SAMPLE_RATE = 192_000
const CHANNELS = 2
const SAMPLE_BYTES = 2
/** The sizes of a file that may have more than 4 GB are in a chunk of their own. */
const SEE_DS64 = 0xffffffff

/** A silent WAVE file of any size. It takes the space of its header, where the file system knows files with holes. */
export const writeSilence = async (path: string, sizeBytes: number): Promise<void> => {
  await writeFile(path, headerOf(sizeBytes))
  await truncate(path, sizeBytes)
}

const headerOf = (sizeBytes: number): Buffer => {
  const header = Buffer.alloc(80)
  const frameBytes = CHANNELS * SAMPLE_BYTES
  const dataBytes = sizeBytes - header.length
  header.write('RF64', 0)
  header.writeUInt32LE(SEE_DS64, 4)
  header.write('WAVEds64', 8)
  header.writeUInt32LE(28, 16)
  header.writeBigUInt64LE(BigInt(sizeBytes - 8), 20)
  header.writeBigUInt64LE(BigInt(dataBytes), 28)
  header.writeBigUInt64LE(BigInt(Math.floor(dataBytes / frameBytes)), 36)
  header.write('fmt ', 48)
  header.writeUInt32LE(16, 52)
  header.writeUInt16LE(1, 56)
  header.writeUInt16LE(CHANNELS, 58)
  header.writeUInt32LE(SAMPLE_RATE, 60)
  header.writeUInt32LE(SAMPLE_RATE * frameBytes, 64)
  header.writeUInt16LE(frameBytes, 68)
  header.writeUInt16LE(SAMPLE_BYTES * 8, 70)
  header.write('data', 72)
  header.writeUInt32LE(SEE_DS64, 76)
  return header
}
