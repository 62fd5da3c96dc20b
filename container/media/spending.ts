/**
 * A file's header may say anything, so each limit follows from the bytes that were downloaded, or from a length that was
 * agreed. The kernel ends a child that goes beyond its limits.
 */
export interface Spending {
  bytes: number
  cpuSeconds: number
}

const MB = 1_000_000

/** A slow core copies, or reads, more than this in a second. */
const COPIED_BYTES_PER_SECOND = 20 * MB
/** A slow core decodes and encodes eight channels at 96 kHz three times as fast as they play. */
const CPU_SHARE = 0.4
/** To start, and for what a file has besides its sound. */
const START_CPU_SECONDS = 60

const cpuSeconds = (seconds: number): number => START_CPU_SECONDS + Math.ceil(seconds * CPU_SHARE)

/** Containers differ in what they add to each packet. Of sound at a few kilobits per second it may be half. */
const CONTAINER_BYTES = 32 * MB
const HEADER_BYTES = MB
const ENCODED_HEADER_BYTES = 64_000
/** Lyrics and other texts. Where they have one byte for each character, UTF-8 may need two. */
const MAX_TAG_BYTES = MB
const tagBytes = (sourceBytes: number): number => Math.min(2 * sourceBytes, MAX_TAG_BYTES)

/** A file with the streams of files of this size is not much larger, however often their headers name the same bytes. */
export const toCopy = (sourceBytes: number, mostDiskBytes = Number.POSITIVE_INFINITY): Spending => {
  const bytes = sourceBytes + Math.min(sourceBytes, CONTAINER_BYTES) + HEADER_BYTES
  const free = Math.max(sourceBytes, mostDiskBytes - sourceBytes)
  return { bytes: Math.min(bytes, free), cpuSeconds: START_CPU_SECONDS + Math.ceil(bytes / COPIED_BYTES_PER_SECOND) }
}

export const toEncode = (seconds: number, bytesPerSecond: number): Spending => ({
  bytes: ENCODED_HEADER_BYTES + Math.ceil(seconds * bytesPerSecond),
  cpuSeconds: cpuSeconds(seconds),
})

export const toEncodeFile = (seconds: number, bytesPerSecond: number, sourceBytes: number): Spending => {
  const { bytes, cpuSeconds } = toEncode(seconds, bytesPerSecond)
  return { bytes: bytes + tagBytes(sourceBytes), cpuSeconds }
}

/** A picture of 67 megapixels takes a second. A hostile video has many black ones, and all are decoded to find a brighter one. */
export const toDrawPicture: Spending = { bytes: 8 * MB, cpuSeconds: 3 }

export const toConvertCaptions: Spending = { bytes: 32 * MB, cpuSeconds: START_CPU_SECONDS }

export const toReport: Spending = { bytes: 0, cpuSeconds: START_CPU_SECONDS }
