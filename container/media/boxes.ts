/** A box of an MP4 file (ISO/IEC 14496-12, 4.2): a size, a type, and what is in it. */
export interface Box {
  type: string
  /** Where it begins among the bytes that it was found in. */
  at: number
  content: Buffer
}

/** The boxes that are there as a whole, one after the other; the first that makes no sense ends them. */
export function* boxesIn(bytes: Uint8Array): Generator<Box> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 8 <= all.length; ) {
    const { head, size } = measured(all, at)
    if (size < head || at + size > all.length) return
    yield { type: all.toString('latin1', at + 4, at + 8), at, content: all.subarray(at + head, at + size) }
    at += size
  }
}

/** Size 1 says that 64 bits follow, size 0 that it goes on to the end. */
const measured = (all: Buffer, at: number): { head: number; size: number } => {
  const size = all.readUInt32BE(at)
  if (size === 0) return { head: 8, size: all.length - at }
  if (size !== 1) return { head: 8, size }
  return { head: 16, size: at + 16 <= all.length ? Number(all.readBigUInt64BE(at + 8)) : 0 }
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
