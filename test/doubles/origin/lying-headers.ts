/** Media whose headers state something else than it has. Each function returns a changed copy. */

/** Of a FLAC: its number of samples. */
export const flacThatStates = (file: Buffer, seconds: number): Buffer => {
  const lie = Buffer.from(file)
  // STREAMINFO, at 8, has 20 bits of the rate, 3 of channels, 5 of bits and 36 of samples at its byte 10.
  const facts = lie.readBigUInt64BE(18)
  const rate = facts >> 44n
  lie.writeBigUInt64BE(((facts >> 36n) << 36n) | BigInt(Math.round(Number(rate) * seconds)), 18)
  return lie
}

/** Of an MP4: the durations of the movie, its tracks and their media. */
export const mp4ThatStates = (file: Buffer, seconds: number): Buffer => {
  const lie = Buffer.from(file)
  const movie = lie.indexOf('mvhd')
  const movieScale = lie.readUInt32BE(movie + 16)
  lie.writeUInt32BE(Math.round(movieScale * seconds), movie + 20)
  for (const at of placesOf(lie, 'tkhd')) lie.writeUInt32BE(Math.round(movieScale * seconds), at + 24)
  for (const at of placesOf(lie, 'mdhd')) {
    lie.writeUInt32BE(Math.round(lie.readUInt32BE(at + 16) * seconds), at + 20)
  }
  // An edit list would state the length once more.
  for (const at of placesOf(lie, 'edts')) lie.write('free', at, 'latin1')
  return lie
}

/** Of an MP3 of a variable bitrate: the number of its frames. */
export const mp3ThatStates = (file: Buffer, seconds: number): Buffer => {
  const lie = Buffer.from(file)
  const xing = lie.indexOf('Xing')
  // MPEG 1 has 1,152 samples in a frame, at 32 kHz or more; MPEG 2 has half as many, at half the rate.
  lie.writeUInt32BE(Math.round((seconds * 44_100) / 1_152), xing + 8)
  return lie
}

/** Of a WebM: the duration of its segment, in milliseconds. */
export const webmThatStates = (file: Buffer, seconds: number): Buffer => {
  const lie = Buffer.from(file)
  const at = lie.indexOf(Buffer.of(0x44, 0x89, 0x88))
  lie.writeDoubleBE(seconds * 1_000, at + 3)
  return lie
}

/**
 * An MP4 whose first picture is shown so many times: all samples of its video lie on the same bytes. The file has to start
 * with its media, and with a picture.
 */
export const mp4OfOnePicture = (file: Buffer, pictures: number): Buffer => {
  const { size, offset } = firstSample(file)
  const head = Buffer.from(file.subarray(0, file.indexOf('moov') - 4))
  const table = (...numbers: number[]) => Buffer.concat(numbers.map(uint32))
  const replaced: Record<string, Buffer> = {
    stts: table(0, 1, pictures, 1_000),
    stsz: table(0, size, pictures),
    stsc: table(0, 1, 1, 1, 1),
    stco: table(0, pictures, ...Array<number>(pictures).fill(offset)),
  }
  const moov = rebuilt(file.subarray(head.length), replaced)
  return Buffer.concat([head, moov])
}

const firstSample = (file: Buffer) => {
  const [sizesAt = 0] = placesOf(file, 'stsz')
  const [offsetsAt = 0] = placesOf(file, 'stco')
  // One size for all samples, or a list.
  const size = file.readUInt32BE(sizesAt + 8) || file.readUInt32BE(sizesAt + 16)
  return { size, offset: file.readUInt32BE(offsetsAt + 12) }
}

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])
const dropped = new Set(['ctts', 'stss', 'edts', 'udta', 'sdtp', 'sgpd', 'sbgp'])

/** The boxes with other contents, and with their sizes. */
const rebuilt = (boxes: Buffer, replaced: Record<string, Buffer>): Buffer => {
  const made: Buffer[] = []
  for (let at = 0; at + 8 <= boxes.length; ) {
    const size = boxes.readUInt32BE(at)
    const type = boxes.toString('latin1', at + 4, at + 8)
    const body = boxes.subarray(at + 8, at + size)
    const isSound = type === 'trak' && body.includes('soun')
    if (!dropped.has(type)) {
      const content = containers.has(type) && !isSound ? rebuilt(body, replaced) : (replaced[type] ?? body)
      made.push(uint32(content.length + 8), Buffer.from(type, 'latin1'), content)
    }
    at += size
  }
  return Buffer.concat(made)
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const placesOf = (file: Buffer, text: string): number[] => {
  const places: number[] = []
  for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + 4)) places.push(at)
  return places
}
