const MIB = 1024 * 1024

/** A request to a bucket may need its whole body in memory: lanes × part stays this small, whatever the file's size. */
const MEMORY_BYTES = 32 * MIB
const MAX_LANES = 4
const MIN_PART_BYTES = 8 * MIB
const MAX_PART_BYTES = 32 * MIB
/** S3 takes 10,000 parts; about 1,000 keep the saved state small while files are of usual size. */
const MAX_PARTS = 10_000
const USUAL_PARTS = 1000

export const MAX_DELIVERY_BYTES = MAX_PARTS * MAX_PART_BYTES

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** All parts but the last are equal, as R2 wants them. Only for sizes up to `MAX_DELIVERY_BYTES`. */
export const partSizeFor = (sizeBytes: number): number =>
  clamp(Math.ceil(sizeBytes / USUAL_PARTS / MIB) * MIB, MIN_PART_BYTES, MAX_PART_BYTES)

export const lanesFor = (partSizeBytes: number): number => clamp(Math.floor(MEMORY_BYTES / partSizeBytes), 1, MAX_LANES)

export interface PartRange {
  /** Counts from 1. */
  number: number
  offset: number
  lengthBytes: number
}

export const partRanges = (sizeBytes: number, partSizeBytes: number): PartRange[] =>
  Array.from({ length: Math.ceil(sizeBytes / partSizeBytes) }, (_, index) => {
    const offset = index * partSizeBytes
    return { number: index + 1, offset, lengthBytes: Math.min(partSizeBytes, sizeBytes - offset) }
  })
