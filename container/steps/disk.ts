export type Disk = ReturnType<typeof createDisk>
export type DiskReservation = NonNullable<ReturnType<Disk['reserve']>>

/**
 * The fleet reserves what it knows or estimates before a step starts. A step that turns out to need more takes the rest
 * here, if it is free.
 */
export const createDisk = (totalBytes: number) => {
  let reservedBytes = 0
  const take = (bytes: number): boolean => {
    if (reservedBytes + bytes > totalBytes) return false
    reservedBytes += bytes
    return true
  }
  return {
    totalBytes,
    reserve: (bytes: number) => {
      if (!take(bytes)) return null
      let held = bytes
      return {
        totalBytes,
        get bytes(): number {
          return held
        },
        /** Reserves at least this much in all. False: not as much is free, and nothing changes. */
        growTo: (wanted: number): boolean => {
          const more = wanted - held
          if (more <= 0) return true
          if (!take(more)) return false
          held = wanted
          return true
        },
        release: (): void => {
          reservedBytes -= held
          held = 0
        },
      }
    },
  }
}
