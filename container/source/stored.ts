import type { StoredSource } from '../../domain/protocol/protocol.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceFailure } from '../failures.ts'
import { openDirect } from './direct.ts'
import { directSource } from './resolve.ts'
import { isMedia } from './sniff.ts'
import type { Source } from './source.ts'

/** A file in our own storage, as a source. No page and no manifest is looked for: it is media, or it is nothing. */
export const openStored = async (
  url: string,
  { title }: StoredSource,
  egress: Egress,
  signal: AbortSignal,
): Promise<Source> => {
  const opened = await openDirect(url, egress, signal)
  if (isMedia(opened.kind)) return { ...directSource(opened), title }
  opened.discard()
  throw new SourceFailure('SOURCE_UNSUPPORTED')
}
