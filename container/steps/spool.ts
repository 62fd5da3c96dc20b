import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { Sink } from '../source/source.ts'
import { Coverage } from './coverage.ts'

/**
 * A download's place on disk. Bytes may come in any order; the spool knows which are there, digests them
 * in order as soon as it can, and wakes whoever waits for a range (the uploader, which sends the first
 * parts while the last are still to come).
 */
export interface Spool extends Sink {
  readonly path: string
  readonly prefixBytes: number
  readonly ended: boolean
  /** Resolves once [0, bytes) is there, or when the download has ended short of it. */
  reached(bytes: number): Promise<void>
  /** No more will come. */
  finish(): void
  /** Of the whole, in hexadecimal; null unless asked for when the spool was opened. */
  sha256(): Promise<string | null>
  close(): Promise<void>
}

export interface SpoolOptions {
  digest: boolean
  /** The end of the step, also for those who wait for bytes. */
  signal: AbortSignal
  onAnnounce?: (totalBytes: number) => void
  /** Bytes that were not there before: a piece that is fetched twice counts once. */
  onBytes?: (bytes: number) => void
}

const READ_BYTES = 1024 * 1024

export const openSpool = async (path: string, options: SpoolOptions): Promise<Spool> => {
  const file = await open(path, 'w+')
  const coverage = new Coverage()
  const digest = options.digest ? inOrder(file) : null
  const waiters = createWaiters()
  const giveUp = () => waiters.fail(options.signal.reason)
  options.signal.addEventListener('abort', giveUp, { once: true })
  let ended = false

  return {
    path,
    get prefixBytes() {
      return coverage.prefix
    },
    get ended() {
      return ended
    },
    announce: (totalBytes) => options.onAnnounce?.(totalBytes),
    write: async (bytes, offset) => {
      await writeAll(file, bytes, offset)
      const fresh = coverage.add(offset, offset + bytes.byteLength)
      digest?.advance(coverage.prefix, bytes, offset)
      waiters.wake(coverage.prefix)
      options.onBytes?.(fresh)
    },
    reached: (bytes) => (ended || coverage.prefix >= bytes ? Promise.resolve() : waiters.wait(bytes)),
    finish: () => {
      ended = true
      waiters.wake(Number.POSITIVE_INFINITY)
    },
    sha256: async () => (digest ? digest.finish(coverage.prefix) : null),
    close: async () => {
      options.signal.removeEventListener('abort', giveUp)
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

/** A digest that takes a write straight from memory when it comes in order, and from disk when it did not. */
const inOrder = (file: FileHandle) => {
  const hash = createHash('sha256')
  let digested = 0
  let catchingUp: Promise<void> | null = null

  const readOn = async (target: () => number): Promise<void> => {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    while (digested < target()) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, target() - digested), digested)
      if (bytesRead === 0) throw new Error('the spool is shorter than what was written to it')
      hash.update(buffer.subarray(0, bytesRead))
      digested += bytesRead
    }
  }
  let prefix = 0
  const catchUp = (): Promise<void> => {
    catchingUp ??= readOn(() => prefix).finally(() => {
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
      // What goes wrong here goes wrong again, and is reported, in finish.
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
