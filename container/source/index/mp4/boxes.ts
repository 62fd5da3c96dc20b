/** A box of an MP4 file (ISO/IEC 14496-12, section 4.2): a size, a type and the content. */
export interface Box {
  type: string
  /** Offset of the box in the bytes that were searched. */
  at: number
  content: Buffer
}

/** The complete boxes in sequence. Stops at the first box that is malformed or cut off. */
export function* boxesIn(bytes: Uint8Array): Generator<Box> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 8 <= all.length; ) {
    const { headerBytes, size } = boxSize(all, at)
    if (size < headerBytes || at + size > all.length) return
    yield { type: all.toString('latin1', at + 4, at + 8), at, content: all.subarray(at + headerBytes, at + size) }
    at += size
  }
}

/**
 * Size 1 means that a 64-bit size follows, size 0 that the box extends to the end, which is `restBytes` away. A header
 * that is cut off gives 0.
 */
export const boxSize = (
  all: Buffer,
  at: number,
  restBytes = all.length - at,
): { headerBytes: number; size: number } => {
  const size = all.readUInt32BE(at)
  if (size === 0) return { headerBytes: 8, size: restBytes }
  if (size !== 1) return { headerBytes: 8, size }
  return { headerBytes: 16, size: at + 16 <= all.length ? Number(all.readBigUInt64BE(at + 8)) : 0 }
}

/** The first box at the end of a path such as `mdia/mdhd`. */
export const boxAt = (bytes: Uint8Array, path: string): Box | null => {
  const [type = '', ...deeper] = path.split('/')
  for (const box of boxesIn(bytes)) {
    if (box.type !== type) continue
    const found = deeper.length === 0 ? box : boxAt(box.content, deeper.join('/'))
    if (found) return found
  }
  return null
}
