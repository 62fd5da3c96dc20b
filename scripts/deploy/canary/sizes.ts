/** How much a full canary tries. */
export interface Sizes {
  largeBytes: number
  imports: number
  transcriptions: number
  /** How often the sentence of the small file is repeated, for a transcription of 20 minutes. */
  repeats: number
}

const LARGE_BYTES = 10_000_000_000

export const sizesOf = ({ CANARY_LARGE_BYTES }: NodeJS.ProcessEnv): Sizes => {
  const largeBytes = Number(CANARY_LARGE_BYTES || LARGE_BYTES)
  if (!Number.isInteger(largeBytes) || largeBytes < 1_000 || largeBytes > LARGE_BYTES)
    throw new Error(`CANARY_LARGE_BYTES is "${CANARY_LARGE_BYTES}", not a number of bytes from 1000 to ${LARGE_BYTES}.`)
  return { largeBytes, imports: 4, transcriptions: 30, repeats: 400 }
}
