import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Sink } from './source.ts'

/**
 * The file on disk that a download writes to, in any order. The spool tracks which bytes are written, computes the
 * digest in order as early as possible, and lets the upload wait for bytes, so that the first parts are uploaded
 * while the last ones are still downloading.
 */
export interface Spool extends Sink {
  readonly path: string
  readonly prefixBytes: number
  readonly ended: boolean
  /** Resolves when [0, bytes) is written, or when the download has ended with fewer bytes. */
  reached(bytes: number): Promise<void>
  /** No more bytes will be written. */
  finish(): void
  /** Of the whole file, in hexadecimal. null unless `digest` was set. */
  sha256(): Promise<string | null>
  close(): Promise<void>
}

export interface SpoolOptions {
  digest: boolean
  /** Aborts with the step, and rejects everything that waits for bytes. */
  signal: AbortSignal
  onAnnounce?: (totalBytes: number) => void
  /** Resolves when this many new bytes may be written. A range that is fetched twice counts once. */
  take?: (bytes: number) => Promise<void>
  /** The number of new bytes. */
  onBytes?: (bytes: number) => void
}

const READ_BYTES = 1024 * 1024

export const openSpool = async (path: string, options: SpoolOptions): Promise<Spool> => {
  const file = await open(path, 'w+')
  const coverage = new Coverage()
  const digest = options.digest ? orderedDigest(file) : null
  const waiters = createWaiters()
  const rejectWaiters = () => waiters.fail(options.signal.reason)
  options.signal.addEventListener('abort', rejectWaiters, { once: true })
  let ended = false
  let reservedBytes = 0
  const takeUnreserved = async (bytes: number) => {
    const reserved = Math.min(reservedBytes, bytes)
    reservedBytes -= reserved
    if (bytes > reserved) await options.take?.(bytes - reserved)
  }

  return {
    path,
    get prefixBytes() {
      return coverage.prefix
    },
    get ended() {
      return ended
    },
    announce: (totalBytes) => options.onAnnounce?.(totalBytes),
    reserve: async (bytes) => {
      await options.take?.(bytes)
      reservedBytes += bytes
    },
    write: async (bytes, offset) => {
      await takeUnreserved(coverage.missing(offset, offset + bytes.byteLength))
      await writeAll(file, bytes, offset)
      const added = coverage.add(offset, offset + bytes.byteLength)
      digest?.advance(coverage.prefix, bytes, offset)
      waiters.wake(coverage.prefix)
      options.onBytes?.(added)
    },
    reached: (bytes) => (ended || coverage.prefix >= bytes ? Promise.resolve() : waiters.wait(bytes)),
    finish: () => {
      ended = true
      waiters.wake(Number.POSITIVE_INFINITY)
    },
    sha256: async () => (digest ? digest.finish(coverage.prefix) : null),
    close: async () => {
      options.signal.removeEventListener('abort', rejectWaiters)
      await digest?.settled()
      await file.close()
    },
  }
}

const writeAll = async (file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> => {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, offset + done)
    done += bytesWritten
  }
}

/** Computes the digest from memory for writes in order, and from disk for the others. */
const orderedDigest = (file: FileHandle) => {
  const hash = createHash('sha256')
  let digested = 0
  let catchingUp: Promise<void> | null = null

  const readUpTo = async (target: () => number): Promise<void> => {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    while (digested < target()) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, target() - digested), digested)
      if (bytesRead === 0) throw new Error('the spool is shorter than what was written')
      hash.update(buffer.subarray(0, bytesRead))
      digested += bytesRead
    }
  }
  let prefix = 0
  const catchUp = (): Promise<void> => {
    catchingUp ??= readUpTo(() => prefix).finally(() => {
      catchingUp = null
    })
    return catchingUp
  }
  return {
    advance: (newPrefix: number, bytes: Uint8Array, offset: number) => {
      prefix = newPrefix
      if (offset === digested && !catchingUp) {
        hash.update(bytes)
        digested += bytes.byteLength
      }
      // A read error occurs again in finish, which reports it.
      if (digested < prefix && !catchingUp) catchUp().catch(() => {})
    },
    finish: async (size: number): Promise<string> => {
      prefix = size
      while (digested < size) await catchUp()
      return hash.digest('hex')
    },
    settled: async () => {
      await catchingUp?.catch(() => {})
    },
  }
}

const createWaiters = () => {
  let waiting: { bytes: number; resolve: () => void; reject: (error: unknown) => void }[] = []
  const failed: { error?: unknown } = {}
  return {
    wait: (bytes: number): Promise<void> => {
      if ('error' in failed) return Promise.reject(failed.error)
      return new Promise((resolve, reject) => waiting.push({ bytes, resolve, reject }))
    },
    wake: (bytes: number) => {
      const reached = waiting.filter((waiter) => waiter.bytes <= bytes)
      waiting = waiting.filter((waiter) => waiter.bytes > bytes)
      for (const waiter of reached) waiter.resolve()
    },
    fail: (error: unknown) => {
      failed.error = error
      for (const waiter of waiting) waiter.reject(error)
      waiting = []
    },
  }
}

/** The bytes of a file that are already written, as sorted ranges that neither touch nor overlap. */
export class Coverage {
  #ranges: { start: number; end: number }[] = []

  /** Adds [start, end) and returns how many of its bytes are new. */
  add(start: number, end: number): number {
    const merged = { start, end }
    const others: { start: number; end: number }[] = []
    let before = 0
    for (const range of this.#ranges) {
      if (range.end < start || range.start > end) {
        others.push(range)
        continue
      }
      before += range.end - range.start
      merged.start = Math.min(merged.start, range.start)
      merged.end = Math.max(merged.end, range.end)
    }
    this.#ranges = [...others, merged].sort((a, b) => a.start - b.start)
    return merged.end - merged.start - before
  }

  /** How many bytes of [start, end) are not written yet. */
  missing(start: number, end: number): number {
    const overlaps = this.#ranges.map((range) => Math.min(range.end, end) - Math.max(range.start, start))
    return overlaps.reduce((missing, overlap) => missing - Math.max(0, overlap), end - start)
  }

  /** The number of bytes from the start of the file to the first gap. */
  get prefix(): number {
    const first = this.#ranges[0]
    return first?.start === 0 ? first.end : 0
  }
}
