/** A part of an upload, as `POST /uploads` describes it. */
export interface Part {
  number: number
  url: string
  sizeBytes: number
}

/** Sends a part with a plain PUT request. */
export const sentPart = async (
  file: Uint8Array<ArrayBuffer>,
  partSizeBytes: number,
  { number, url, sizeBytes }: Part,
) => {
  const from = (number - 1) * partSizeBytes
  const response = await fetch(url, { method: 'PUT', body: file.subarray(from, from + sizeBytes) })
  return { number, etag: response.headers.get('etag'), status: response.status }
}
