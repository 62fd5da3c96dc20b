import { filename } from '../bucket/object-name.ts'
import { filenameOf } from '../media/safe-filename.ts'
import type { MediaFacts } from '../protocol/protocol.ts'
import type { FetchedImport, ImportRequest, StoredMedia } from './job.ts'

/** The output of the fetch step, from what the container measured. */
export const fetchedImport = (
  { storageFilename }: ImportRequest,
  { extension, sizeBytes, clip, transcoded, ...facts }: MediaFacts,
  stored: StoredMedia,
): FetchedImport => ({
  ...facts,
  ...(clip && { clip }),
  ...(transcoded !== undefined && { transcoded }),
  filename: storageFilename === null ? filenameOf(facts.title, extension) : filename(storageFilename, extension),
  fileSizeBytes: sizeBytes,
  stored,
})
