import { crc32, deflateSync } from 'node:zlib'

const SIDE = 16_000

/** A PNG of 16,000 × 16,000 black pixels in a few kilobytes. One bit per pixel makes it fast to create. */
export const imageBomb = (): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  header[8] = 1
  const rows = Buffer.alloc(SIDE * (1 + SIDE / 8))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

const chunk = (type: string, data = Buffer.alloc(0)): Buffer => {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(typeAndData))
  return Buffer.concat([length, typeAndData, checksum])
}
