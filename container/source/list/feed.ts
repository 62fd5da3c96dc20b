import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import type { OpenedUrl } from '../direct.ts'
import { downloadFile } from '../download.ts'
import type { SourceList } from './source-list.ts'

/** Of an uncompressed feed. Ten thousand episodes with notes have about 30 MB. */
const MAX_BYTES = 50_000_000

const read = inReader<typeof import('./read-feed.ts')>(new URL('./read-feed.ts', import.meta.url))

/** Reads an RSS or Atom feed. Its download continues with the response that identified it. */
export const listFeed = async (
  opened: OpenedUrl,
  limit: number,
  egress: Egress,
  signal: AbortSignal,
): Promise<SourceList> => {
  const chunks: { bytes: Uint8Array; offset: number }[] = []
  const check = (sizeBytes: number) => {
    if (sizeBytes > MAX_BYTES) throw new SourceFailure('MEDIA_TOO_LARGE', 'The feed has more than 50 MB.')
  }
  const write = async (bytes: Uint8Array, offset: number) => {
    check(offset + bytes.length)
    chunks.push({ bytes, offset })
  }
  const transport = { kind: 'file' as const, url: opened.url, headers: {}, opened }
  const { sizeBytes } = await downloadFile(transport, egress, { announce: check, write }, signal)
  const bytes = new Uint8Array(sizeBytes)
  for (const chunk of chunks) bytes.set(chunk.bytes, chunk.offset)
  return await read('readFeed', [{ bytes, contentType: opened.contentType, url: opened.url }, limit], signal)
}
