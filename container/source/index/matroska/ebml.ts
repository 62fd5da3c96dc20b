import { malformed, type SparseFile } from '../sparse-file.ts'

/** An element of a Matroska or WebM file (RFC 8794): an id, a size and the content. */
export interface Element {
  id: number
  at: number
  contentAt: number
  /** null: the size is unknown, as in a live recording. The element ends where one of its parent's level starts. */
  end: number | null
}

/** The longest header: four bytes of id and eight of size. */
const maxHeaderBytes = 12

/** The element at an offset; null if fewer bytes than a header are left before `limit`. */
export const elementAt = (file: SparseFile, at: number, limit: number | null): Element | null => {
  const end = Math.min(at + maxHeaderBytes, limit ?? Number.POSITIVE_INFINITY)
  const head = file.readUpTo(at, end)
  return head.length < 2 ? null : elementOf(head, at)
}

/** The most elements of one parent: more than the cues of any film. */
const maxElements = 300_000

/** The elements in bytes that are known. Stops at the first one that is malformed or cut off. */
export function* elementsIn(bytes: Buffer): Generator<{ id: number; at: number; content: Buffer }> {
  let count = 0
  for (let at = 0; at + 2 <= bytes.length; ) {
    if (++count > maxElements) throw malformed('index: too many elements')
    const element = elementOf(bytes.subarray(at, at + maxHeaderBytes), at)
    if (!element || element.end === null || element.end > bytes.length) return
    yield { id: element.id, at, content: bytes.subarray(element.contentAt, element.end) }
    at = element.end
  }
}

export const fieldsIn = (content: Buffer): Map<number, Buffer> =>
  new Map(Array.from(elementsIn(content), ({ id, content }) => [id, content]))

const elementOf = (head: Buffer, at: number): Element | null => {
  const idBytes = lengthOf(head[0] ?? 0)
  const sizeBytes = lengthOf(head[idBytes] ?? 0)
  if (idBytes > 4 || sizeBytes > 8 || idBytes + sizeBytes > head.length) return null
  const size = numberIn(head.subarray(idBytes, idBytes + sizeBytes))
  const contentAt = at + idBytes + sizeBytes
  return { id: head.readUIntBE(0, idBytes), at, contentAt, end: size === null ? null : contentAt + size }
}

/** The position of the first set bit is the length. */
const lengthOf = (first: number): number => Math.clz32(first) - 23

/** A number of one to eight bytes with its length in front; null if all bits are set, which means unknown. */
const numberIn = (bytes: Buffer): number | null => {
  const [first = 0, ...rest] = bytes
  const marker = 0x80 >> (bytes.length - 1)
  if ((first | (marker - 1)) === first && rest.every((byte) => byte === 0xff)) return null
  return rest.reduce((number, byte) => number * 256 + byte, first & (marker - 1))
}

/** A number with its length in front, as in the header of a block. */
export const leadingNumber = (bytes: Buffer): { value: number; bytes: number } => {
  const length = lengthOf(bytes[0] ?? 0)
  const value = length <= 8 && length <= bytes.length ? numberIn(bytes.subarray(0, length)) : null
  if (value === null) throw malformed('number')
  return { value, bytes: length }
}

export const unsigned = (content: Buffer): number => {
  if (content.length > 8) throw malformed('number')
  return content.reduce((number, byte) => number * 256 + byte, 0)
}
