import type { Response } from 'undici'

export interface RangeResponse {
  url: string
  headers: Response['headers']
  isRange: boolean
  /** Position of the body in the file. `end` is exclusive, and null when the origin does not report it. */
  start: number
  end: number | null
  totalBytes: number | null
  /** ETag (strong or weak) or Last-Modified. Responses with different tags are of different files. */
  tag: string | null
  /** The tag, if If-Range accepts it. */
  validator: string | null
  read(): Promise<Uint8Array | null>
  unread(bytes: Uint8Array): void
  discard(): void
}

export const factsOf = (response: Response) => {
  const position = positionOf(response)
  return position && { ...position, ...tagsOf(response.headers) }
}

function positionOf({ status, headers }: Response) {
  if (status === 200) {
    const length = headers.get('content-length')
    // The length of a compressed body is not the length of the file.
    const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
    const totalBytes = isPlain && length !== null ? Number(length) : null
    return { isRange: false, start: 0, end: totalBytes, totalBytes }
  }
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('content-range') ?? '') ?? []
  if (!first || !last || !total) return null
  const position = { isRange: true, start: Number(first), end: Number(last) + 1 }
  const totalBytes = total === '*' ? null : Number(total)
  const isConsistent = position.start < position.end && (totalBytes === null || position.end <= totalBytes)
  return isConsistent ? { ...position, totalBytes } : null
}

function tagsOf(headers: Response['headers']) {
  const etag = headers.get('etag')
  const date = headers.get('last-modified')
  // RFC 9110, section 13.1.5: If-Range does not accept a weak ETag.
  const validator = etag && !etag.startsWith('W/') ? etag : etag ? null : date
  return { tag: etag ?? date, validator }
}

/** Reads at least this many bytes, or all of them if there are fewer. */
export async function readAtLeast(response: RangeResponse, minBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < minBytes) {
    const bytes = await response.read()
    if (!bytes) break
    chunks.push(bytes)
    size += bytes.length
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}
