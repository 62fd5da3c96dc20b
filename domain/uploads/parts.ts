const MiB = 1024 * 1024

/** R2 requires equal parts of at least 5 MiB. The parts of 10 GB have 64 MiB. */
const SMALLEST_PART_BYTES = 8 * MiB
/** Their ETags, of 170 characters each, have to fit into a request. */
const MAX_PARTS = 150

export const partSizeOf = (sizeBytes: number): number => {
  let size = SMALLEST_PART_BYTES
  while (Math.ceil(sizeBytes / size) > MAX_PARTS) size *= 2
  return size
}

export interface UploadPart {
  /** From 1. */
  number: number
  sizeBytes: number
}

export const partsOf = (sizeBytes: number): UploadPart[] => {
  const size = partSizeOf(sizeBytes)
  return Array.from({ length: Math.ceil(sizeBytes / size) }, (_, index) => ({
    number: index + 1,
    sizeBytes: Math.min(size, sizeBytes - index * size),
  }))
}

/** `etag`: what the storage answered to the part. null: it refused the part. */
export interface SentPart {
  number: number
  etag: string | null
}

/** The ETags in the order of the parts, or what is wrong with them. They may be given in any order. */
export const etagsOf = (sizeBytes: number, sent: SentPart[]): { etags: string[] } | { problem: string } => {
  const { length } = partsOf(sizeBytes)
  const etags = new Map<number, string>()
  const refused = new Set<number>()
  for (const { number, etag } of sent) {
    if (number < 1 || number > length) return { problem: `There is no part ${number}: the parts are 1 to ${length}.` }
    if (etags.has(number) || refused.has(number)) return { problem: `Part ${number} is given twice.` }
    const opaque = etag?.replaceAll('"', '')
    if (opaque) etags.set(number, opaque)
    else refused.add(number)
  }
  const ordered = Array.from({ length }, (_, index) => etags.get(index + 1))
  const missing = ordered.flatMap((etag, index) => (etag === undefined ? index + 1 : []))
  if (missing.length === 0) return { etags: ordered as string[] }
  const [first] = missing
  return { problem: missing.length === 1 ? `Part ${first} is missing.` : `${missing.length} parts are missing.` }
}
