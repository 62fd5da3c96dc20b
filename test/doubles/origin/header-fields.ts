/** Numbers in the headers of media that say how long, how many or how large something is. */
export interface Field {
  name: string
  at: number
  bytes: number
  littleEndian?: boolean
  /** Of a variable length integer of EBML: its first bits say how long it is. */
  keptBits?: number
}

export const fieldsOf = (file: Buffer): Field[] => {
  if (file.toString('latin1', 4, 8) === 'ftyp') return mp4Fields(file, 0, file.length)
  if (file.readUInt32BE(0) === 0x1a45dfa3) return ebmlFields(file, 0, file.length)
  const magic = file.toString('latin1', 0, 4)
  if (magic === 'fLaC') return flacFields(file)
  if (magic === 'OggS') return oggFields(file)
  if (magic === 'RIFF') return wavFields(file)
  return mp3Fields(file)
}

/** A copy with another number in the field, as far as it fits there. */
export const withField = (
  file: Buffer,
  { at, bytes, littleEndian, keptBits = 0 }: Field,
  changed: (value: bigint) => bigint,
): Buffer => {
  const lie = Buffer.from(file)
  const mask = (1n << BigInt(8 * bytes - keptBits)) - 1n
  const words = lie.subarray(at, at + bytes)
  const before = bigOf(littleEndian ? Buffer.from(words).reverse() : words)
  const written = (before & ~mask) | (changed(before & mask) & mask)
  for (let index = 0; index < bytes; index++) {
    const shift = BigInt(8 * (littleEndian ? index : bytes - 1 - index))
    lie[at + index] = Number((written >> shift) & 0xffn)
  }
  return lie
}

const bigOf = (bytes: Buffer): bigint => bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)

const readBig = (file: Buffer, at: number, bytes: number): bigint => bigOf(file.subarray(at, at + bytes))

const boxesWithBoxes = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'udta'])
const boxesOfNumbers = new Set(['mvhd', 'tkhd', 'mdhd', 'elst', 'stts', 'stsc', 'stsz', 'stco', 'co64', 'ctts', 'stss'])
/** Of a table, the first entries. The others are like them. */
const MAX_WORDS = 24

const mp4Fields = (file: Buffer, start: number, end: number): Field[] => {
  const fields: Field[] = []
  for (let at = start; at + 8 <= end; ) {
    const size = Math.max(8, file.readUInt32BE(at))
    const type = file.toString('latin1', at + 4, at + 8)
    fields.push({ name: `${type} size`, at, bytes: 4 })
    if (boxesWithBoxes.has(type)) fields.push(...mp4Fields(file, at + 8, Math.min(end, at + size)))
    if (boxesOfNumbers.has(type)) {
      const words = Math.min(MAX_WORDS, Math.floor((size - 8) / 4))
      for (let word = 0; word < words; word++) fields.push({ name: `${type} ${word}`, at: at + 8 + 4 * word, bytes: 4 })
    }
    at += size
  }
  return fields
}

/** EBML, Segment, Info, Tracks, a track, its audio, Cluster. */
const elementsWithElements = new Set([0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe1, 0x1f43b675])
const MAX_ELEMENTS = 120

const ebmlFields = (file: Buffer, start: number, end: number): Field[] => {
  const fields: Field[] = []
  for (let at = start; at < end - 2 && fields.length < MAX_ELEMENTS; ) {
    const idBytes = Math.clz32(file[at] ?? 0) - 23
    const id = Number(readBig(file, at, idBytes))
    const sizeAt = at + idBytes
    const sizeBytes = Math.clz32(file[sizeAt] ?? 0) - 23
    if (idBytes > 4 || sizeBytes > 8) return fields
    const size = Number(readBig(file, sizeAt, sizeBytes) & ((1n << BigInt(7 * sizeBytes)) - 1n))
    const bodyAt = sizeAt + sizeBytes
    fields.push({ name: `${id.toString(16)} size`, at: sizeAt, bytes: sizeBytes, keptBits: sizeBytes })
    if (elementsWithElements.has(id)) fields.push(...ebmlFields(file, bodyAt, Math.min(end, bodyAt + size)))
    else if (size >= 1 && size <= 8) fields.push({ name: id.toString(16), at: bodyAt, bytes: size })
    at = bodyAt + size
  }
  return fields
}

const flacFields = (file: Buffer): Field[] => [
  { name: 'STREAMINFO size', at: 5, bytes: 3 },
  ...[8, 10].map((at) => ({ name: `block size at ${at}`, at, bytes: 2 })),
  ...[12, 15].map((at) => ({ name: `frame size at ${at}`, at, bytes: 3 })),
  { name: 'rate, channels, bits and samples', at: 18, bytes: 8 },
  { name: 'samples', at: 21, bytes: 5, keptBits: 4 },
  { name: 'size of the next block', at: 43, bytes: Math.min(3, file.length - 43) },
]

const oggFields = (file: Buffer): Field[] => {
  const fields: Field[] = []
  for (let at = 0; at >= 0 && fields.length < 60; at = file.indexOf('OggS', at + 4)) {
    fields.push({ name: 'granule', at: at + 6, bytes: 8, littleEndian: true })
    fields.push({ name: 'segments', at: at + 26, bytes: 1 })
  }
  const head = file.indexOf('OpusHead')
  if (head >= 0) fields.push({ name: 'pre-skip', at: head + 10, bytes: 2, littleEndian: true })
  return fields
}

const wavFields = (file: Buffer): Field[] => {
  const data = file.indexOf('data')
  const words = [4, 16, 24, 28, data + 4].map((at) => ({ name: `word at ${at}`, at, bytes: 4, littleEndian: true }))
  return [...words, ...[22, 32, 34].map((at) => ({ name: `number at ${at}`, at, bytes: 2, littleEndian: true }))]
}

const mp3Fields = (file: Buffer): Field[] => {
  const xing = Math.max(file.indexOf('Xing'), file.indexOf('Info'))
  const tag = file.toString('latin1', 0, 3) === 'ID3' ? [{ name: 'tag size', at: 6, bytes: 4 }] : []
  const words = xing < 0 ? [] : [4, 8, 12].map((offset) => ({ name: `Xing ${offset}`, at: xing + offset, bytes: 4 }))
  return [...tag, ...words]
}
