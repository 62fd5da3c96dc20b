import type { HoleFormat } from './clip-places.ts'

/** The header of an element with this many bytes that demuxers skip. */
export const emptyElement = (format: HoleFormat, bytes: number): Buffer => {
  if (format === 'mp4') return freeBox(bytes)
  return format === 'matroska' ? voidElement(bytes) : Buffer.alloc(0)
}

/** ISO/IEC 14496-12, section 8.1.2. Size 1 means that a 64-bit size follows. */
const freeBox = (bytes: number): Buffer => {
  const header = Buffer.alloc(bytes < 16 ? 8 : 16)
  header.writeUInt32BE(bytes < 16 ? bytes : 1)
  header.write('free', 4, 'latin1')
  if (bytes >= 16) header.writeBigUInt64BE(BigInt(bytes), 8)
  return header
}

const voidHeaderBytes = 9

/** RFC 8794, section 11.3.2. The first of its eight bytes says how long the size is. */
const voidElement = (bytes: number): Buffer => {
  const header = Buffer.alloc(voidHeaderBytes)
  header.writeBigUInt64BE((1n << 56n) | BigInt(bytes - voidHeaderBytes), 1)
  header.writeUInt8(0xec)
  return header
}
