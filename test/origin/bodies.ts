import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** Something the origin can serve in any range without holding it in memory. */
export interface Body {
  sizeBytes: number
  modified: Date
  /** Two bodies with the same tag have the same bytes. */
  tag: string
  /** `end` is exclusive. */
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

export async function fileBody(path: string): Promise<Body | null> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return null
  return {
    sizeBytes: found.size,
    modified: found.mtime,
    tag: `${found.size.toString(16)}-${found.mtimeMs.toString(16)}`,
    read: (start, end) => (end > start ? createReadStream(path, { start, end: end - 1 }) : nothing()),
  }
}

export function textBody(text: string): Body {
  const bytes = Buffer.from(text)
  return {
    sizeBytes: bytes.length,
    modified: new Date(0),
    tag: `text-${bytes.length}`,
    async *read(start, end) {
      yield bytes.subarray(start, end)
    },
  }
}

/** A prime length, so that a piece written at a wrong offset never looks right. */
const padding = Buffer.alloc(1_048_583)
for (let i = 0, state = 1; i < padding.length; i++) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  padding[i] = state >> 16
}
const pieceBytes = 65_536

/**
 * A real mp4 that plays, grown to any size by a `free` box at its end and made while it is read: an
 * import of 1 GB needs neither disk nor memory here. Another version has other padding, same size.
 */
export async function generatedBody(mp4Path: string, sizeBytes: number, version = 0): Promise<Body | null> {
  const film = await readFile(mp4Path)
  const head = Buffer.concat([film, freeBoxHeader(sizeBytes - film.length)])
  if (sizeBytes < head.length) return null
  return {
    sizeBytes,
    modified: new Date(Date.UTC(2026, 0, 1 + version)),
    tag: `generated-${sizeBytes}-${version}`,
    async *read(start, end) {
      if (start < head.length) yield head.subarray(start, Math.min(end, head.length))
      for (let at = Math.max(start, head.length); at < end; ) {
        const from = (at + version * 101) % padding.length
        const piece = padding.subarray(from, Math.min(from + pieceBytes, from + end - at))
        yield piece
        at += piece.length
      }
    },
  }
}

/** ISO/IEC 14496-12 4.2: size 1 says that the real one follows in 64 bits. */
function freeBoxHeader(boxBytes: number) {
  const header = Buffer.alloc(16)
  header.writeUInt32BE(1, 0)
  header.write('free', 4, 'latin1')
  header.writeBigUInt64BE(BigInt(Math.max(0, boxBytes)), 8)
  return header
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
