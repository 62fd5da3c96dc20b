import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { bytesIn, type FileRange, united, without } from './index/file-ranges.ts'

export type Spool = Awaited<ReturnType<typeof openSpool>>

interface SpoolOptions {
  digest: boolean
  /** Aborts when the step ends: the file is closed, and everything that waits for bytes is rejected. */
  signal: AbortSignal
  onAnnounce?: (totalBytes: number) => void
  /** Resolves when this many new bytes may be written. A range that is fetched twice counts once. */
  take?: (bytes: number) => Promise<void>
  onBytes?: (bytes: number) => void
}

const READ_BYTES = 1024 * 1024

/**
 * The file on disk that a download writes to, in any order. It computes the digest in order as early as possible, and lets
 * the upload wait for bytes, so that the first parts are uploaded while the last ones are still downloading.
 */
export const openSpool = async (path: string, options: SpoolOptions) => {
  const { signal } = options
  const file = await open(path, 'w+')
  const digest = options.digest ? orderedDigest(file) : null
  let written: FileRange[] = []
  let ended = false
  let reservedBytes = 0
  let change = Promise.withResolvers<void>()
  const tellWaiters = () => {
    change.resolve()
    change = Promise.withResolvers()
  }
  const close = async () => {
    tellWaiters()
    await digest?.settled()
    await file.close()
  }
  // Nobody waits for this close, so its error must not end the process.
  signal.addEventListener('abort', () => void close().catch(() => {}), { once: true })
  if (signal.aborted) await close()
  const takeUnreserved = async (bytes: number) => {
    const reserved = Math.min(reservedBytes, bytes)
    reservedBytes -= reserved
    if (bytes > reserved) await options.take?.(bytes - reserved)
  }

  return {
    announce: (totalBytes: number) => options.onAnnounce?.(totalBytes),
    reserve: async (bytes: number) => {
      await options.take?.(bytes)
      reservedBytes += bytes
    },
    write: async (bytes: Uint8Array, offset: number) => {
      const range = { start: offset, end: offset + bytes.byteLength }
      await takeUnreserved(bytesIn(without([range], written)))
      await writeAll(file, bytes, offset)
      const before = bytesIn(written)
      written = united([...written, range])
      digest?.advance(prefixOf(written), bytes, offset)
      tellWaiters()
      options.onBytes?.(bytesIn(written) - before)
    },
    path,
    get prefixBytes() {
      return prefixOf(written)
    },
    get ended() {
      return ended
    },
    /** Resolves when [0, bytes) is written, or when the download has ended with fewer bytes. */
    reached: async (bytes: number): Promise<void> => {
      while (!ended && prefixOf(written) < bytes) {
        signal.throwIfAborted()
        await change.promise
      }
    },
    /** No more bytes will be written. */
    finish: async (): Promise<void> => {
      ended = true
      tellWaiters()
      // The digest reads the file again. Other files are closed, so that their disk space is free when they are removed.
      if (!digest) await file.close()
    },
    /** The digest of the whole file, in hexadecimal. null unless `digest` was set. */
    sha256: async (): Promise<string | null> => (digest ? digest.finish(prefixOf(written)) : null),
  }
}

const writeAll = async (file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> => {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, offset + done)
    done += bytesWritten
  }
}

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

const prefixOf = ([first]: FileRange[]): number => (first?.start === 0 ? first.end : 0)
