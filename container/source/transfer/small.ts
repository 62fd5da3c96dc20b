import { SourceFailure } from '../failure.ts'
import { type Resource, stream, type Way } from './stream.ts'

export type Address = Pick<Resource, 'url' | 'headers'>

/** A small file, such as a playlist or a key, in memory, and where it was found after redirects. */
export async function fetchSmall(
  address: Address,
  way: Way,
  maxBytes: number,
): Promise<{ bytes: Buffer; url: string }> {
  const pieces: Uint8Array[] = []
  let { url } = address
  const put = async (bytes: Uint8Array, offset: number) => {
    if (offset + bytes.length > maxBytes) throw new SourceFailure('SOURCE_UNSUPPORTED')
    pieces.push(bytes)
  }
  const onIdentity = (answer: { url: string }) => {
    url = answer.url
  }
  await stream({ ...address, start: 0, end: null }, put, way, { onIdentity })
  return { bytes: Buffer.concat(pieces), url }
}
