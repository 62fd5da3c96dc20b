import { statfs } from 'node:fs/promises'

/**
 * The disk space of this container, and how much of it each step has reserved. The fleet reserves what it knows or
 * estimates before a step starts. A step that turns out to need more takes the rest here, if it is free.
 */
export interface Disk {
  readonly totalBytes: number
  /** null: not as much is free. */
  reserve(bytes: number): DiskReservation | null
}

export interface DiskReservation {
  readonly bytes: number
  /** Of the whole disk. */
  readonly totalBytes: number
  /** Reserves at least this much in all. False: not as much is free, and nothing changes. */
  growTo(bytes: number): boolean
  release(): void
}

export const createDisk = (totalBytes: number): Disk => {
  let reservedBytes = 0
  const take = (bytes: number): boolean => {
    if (reservedBytes + bytes > totalBytes) return false
    reservedBytes += bytes
    return true
  }
  return {
    totalBytes,
    reserve: (bytes) => {
      if (!take(bytes)) return null
      let held = bytes
      return {
        totalBytes,
        get bytes() {
          return held
        },
        growTo: (wanted) => {
          const more = wanted - held
          if (more <= 0) return true
          if (!take(more)) return false
          held = wanted
          return true
        },
        release: () => {
          reservedBytes -= held
          held = 0
        },
      }
    },
  }
}

/** The rest is for what no step reserves: thumbnails, captions, and files of other programs. */
const USABLE_SHARE = 0.9

/** What steps may use of the file system that this folder is on. */
export const usableBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder)
  return Math.floor(bavail * bsize * USABLE_SHARE)
}
