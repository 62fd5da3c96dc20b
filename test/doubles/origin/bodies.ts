import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'

/** A file that the origin serves in any range without holding it in memory. */
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
    read: (start, end) => (end > start ? createReadStream(path, { start, end: end - 1 }) : noBytes()),
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

/** The length is prime, so that a chunk written at a wrong offset is detected. */
const padding = Buffer.alloc(1_048_583)
for (let i = 0, state = 1; i < padding.length; i++) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  padding[i] = state >> 16
}
const chunkBytes = 65_536

/**
 * A playable mp4 with a `free` box of any size at its end. It is generated while it is read, so an import of 1 GB
 * needs neither disk nor memory here. Versions differ in their padding and have the same size.
 */
export async function generatedBody(mp4Path: string, sizeBytes: number, version = 0): Promise<Body | null> {
  const mp4 = await readFile(mp4Path)
  const head = Buffer.concat([mp4, freeBoxHeader(sizeBytes - mp4.length)])
  if (sizeBytes < head.length) return null
  return {
    sizeBytes,
    modified: new Date(Date.UTC(2026, 0, 1 + version)),
    tag: `generated-${sizeBytes}-${version}`,
    async *read(start, end) {
      if (start < head.length) yield head.subarray(start, Math.min(end, head.length))
      for (let at = Math.max(start, head.length); at < end; ) {
        const from = (at + version * 101) % padding.length
        const chunk = padding.subarray(from, Math.min(from + chunkBytes, from + end - at))
        yield chunk
        at += chunk.length
      }
    },
  }
}

/** ISO/IEC 14496-12 4.2: size 1 means that a 64-bit size follows. */
function freeBoxHeader(boxBytes: number) {
  const header = Buffer.alloc(16)
  header.writeUInt32BE(1, 0)
  header.write('free', 4, 'latin1')
  header.writeBigUInt64BE(BigInt(Math.max(0, boxBytes)), 8)
  return header
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
