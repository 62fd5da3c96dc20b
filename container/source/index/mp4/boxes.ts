/** A box of an MP4 file (ISO/IEC 14496-12, section 4.2): a size, a type and the content. */
export interface Box {
  type: string
  /** Offset of the box in the bytes that were searched. */
  at: number
  content: Buffer
}

/** A box whose content may be unknown. */
export interface FileBox {
  type: string
  at: number
  contentAt: number
  end: number
}

/** The boxes in sequence, also a last one that is cut off. Stops at the first header that is malformed. */
export function* headersIn(all: Buffer): Generator<FileBox> {
  for (let at = 0; at + 8 <= all.length; ) {
    const { headerBytes, size } = boxSize(all, at)
    if (size < headerBytes) return
    yield { type: all.toString('latin1', at + 4, at + 8), at, contentAt: at + headerBytes, end: at + size }
    at += size
  }
}

/** The complete boxes in sequence. Stops at the first box that is malformed or cut off. */
export function* boxesIn(bytes: Uint8Array): Generator<Box> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const { type, at, contentAt, end } of headersIn(all)) {
    if (end > all.length) return
    yield { type, at, content: all.subarray(contentAt, end) }
  }
}

/** Size 1: a 64-bit size follows. Size 0: up to the end, `restBytes` away. A header that is cut off gives 0. */
export const boxSize = (all: Buffer, at: number, restBytes = all.length - at) => {
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

/** The 32-bit integer at an offset, 0 if the box is too short. */
export const uint32 = (content: Buffer | undefined, at: number): number =>
  content && at >= 0 && at + 4 <= content.length ? content.readUInt32BE(at) : 0

/** An integer of 64 bits, or of 32: the version of a box decides. */
export const integer = (content: Buffer | undefined, at: number, isLong: boolean): number =>
  isLong ? uint32(content, at) * 2 ** 32 + uint32(content, at + 4) : uint32(content, at)

/** The ticks of a second, from an `mdhd` or `mvhd` box. */
export const timescaleOf = (header: Buffer | undefined): number => uint32(header, header?.[0] === 1 ? 20 : 12) || 1000
