const FILL = 0xff
/** Baseline, extended and progressive, each with Huffman coding. Browsers show no others. */
const FRAMES = [0xc0, 0xc1, 0xc2]
const START_OF_SCAN = 0xda
const END_OF_IMAGE = Buffer.of(0xff, 0xd9)

/** From the header of the frame. null: browsers may not show the picture, or its end is missing. */
export const jpegSize = (bytes: Buffer): { width: number; height: number } | null => {
  if (!bytes.subarray(-2).equals(END_OF_IMAGE)) return null
  let at = 2
  while (at + 10 <= bytes.length && bytes[at] === FILL) {
    const marker = bytes.readUInt8(at + 1)
    if (FRAMES.includes(marker)) {
      const [bits, height, width, colors] = [
        bytes[at + 4],
        bytes.readUInt16BE(at + 5),
        bytes.readUInt16BE(at + 7),
        bytes[at + 9],
      ]
      return bits === 8 && (colors === 1 || colors === 3) && width > 0 && height > 0 ? { width, height } : null
    }
    if (marker === START_OF_SCAN) return null
    at += marker === FILL ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}
