import { SourceFailure } from '../../failures.ts'
import { type FetchContext, type Resource, stream } from './stream.ts'

export type FileAddress = Pick<Resource, 'url' | 'headers'>

/** Fetches a small file, such as a playlist or a key, into memory. `url` is its address after redirects. */
export async function fetchSmallFile(
  address: FileAddress,
  context: FetchContext,
  maxBytes: number,
): Promise<{ bytes: Buffer; url: string }> {
  const chunks: Uint8Array[] = []
  let { url } = address
  const put = async (bytes: Uint8Array, offset: number) => {
    if (offset + bytes.length > maxBytes) throw new SourceFailure('SOURCE_UNSUPPORTED')
    chunks.push(bytes)
  }
  const onIdentity = (response: { url: string }) => {
    url = response.url
  }
  await stream({ ...address, start: 0, end: null }, put, context, { onIdentity })
  return { bytes: Buffer.concat(chunks), url }
}
