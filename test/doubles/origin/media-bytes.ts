/** Parts of media files, for tests of indexes that no program writes. */

/** An MP4 box. */
export const box = (type: string, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([words(body.length + 8), Buffer.from(type, 'latin1'), body])
}

/** 32-bit numbers. */
export const words = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, index * 4)
  return bytes
}

/** An element of Matroska. */
export const element = (id: number, ...content: Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([idOf(id), sizeOf(body.length), body])
}

/** An element whose size is unknown, as in a live recording. */
export const endless = (id: number, ...content: Uint8Array[]): Buffer =>
  Buffer.concat([idOf(id), Buffer.from('01ffffffffffffff', 'hex'), ...content])

const idOf = (id: number): Buffer => Buffer.from(id.toString(16), 'hex')

/** Always eight bytes, so that offsets do not depend on the content. */
export const sizeOf = (size: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(size) | (1n << 56n))
  return bytes
}

/** A number in eight bytes. */
export const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

const ebmlHeader = element(0x1a45dfa3, element(0x4282, Buffer.from('matroska')))

/** A Matroska file with these elements in its Segment. */
export const matroska = (...elements: Uint8Array[]): Buffer =>
  Buffer.concat([ebmlHeader, element(0x18538067, ...elements)])

/** Offset of the first element in the Segment. */
export const segmentAt = ebmlHeader.length + 12

/** A text track with the number 1. */
export const tracks = (...more: Uint8Array[]): Buffer =>
  element(
    0x1654ae6b,
    element(
      0xae,
      element(0xd7, number(1)),
      element(0x83, number(0x11)),
      element(0x86, Buffer.from('S_TEXT/UTF8')),
      ...more,
    ),
  )

/** A block of the text track for one second, its time in milliseconds after its cluster's. */
export const textBlock = (time: number, text: Uint8Array, track = 1): Buffer => {
  const header = Buffer.from([0x80 | track, time >> 8, time & 255, 0])
  return element(0xa0, element(0xa1, header, text), element(0x9b, number(1_000)))
}

export const cluster = (time: number, ...blocks: Uint8Array[]): Buffer =>
  element(0x1f43b675, element(0xe7, number(time)), ...blocks)

export const cuePoint = (clusterPosition: number, offset: number | null, track = 1): Buffer =>
  element(
    0xbb,
    element(0xb3, number(0)),
    element(
      0xb7,
      element(0xf7, number(track)),
      element(0xf1, number(clusterPosition)),
      ...(offset === null ? [] : [element(0xf0, number(offset))]),
    ),
  )

export const cues = (...points: Uint8Array[]): Buffer => element(0x1c53bb6b, ...points)

export const seekHead = (...targets: [id: number, position: number][]): Buffer =>
  element(0x114d9b74, Buffer.concat(targets.map(([id, position]) => seek(id, position))))

const seek = (id: number, position: number): Buffer =>
  element(0x4dbb, element(0x53ab, number(id)), element(0x53ac, number(position)))

/** A `trak` box of tx3g samples with these sample tables. Its number is 1. */
export const textTrak = (...tables: Uint8Array[]): Buffer => trak('tx3g', ...tables)

export const trak = (format: string, ...tables: Uint8Array[]): Buffer =>
  box(
    'trak',
    box('tkhd', words(1, 0, 0, 1)),
    box(
      'mdia',
      box('mdhd', words(0, 0, 0, 1_000, 0, 0x15c70000)),
      box('minf', box('stbl', box('stsd', words(0, 1), box(format, words(0, 1, 0))), ...tables)),
    ),
  )

/** Text with its length in front. */
export const timedText = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}
