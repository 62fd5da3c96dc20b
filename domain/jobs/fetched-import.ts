import { filename } from '../bucket/object-name.ts'
import { filenameOf } from '../media/safe-filename.ts'
import { billedBytes } from '../money/bill.ts'
import type { MediaFacts, ReadBy } from '../protocol/protocol.ts'
import type { FetchedImport, ImportRequest, StoredMedia } from './job.ts'

/** The output of the fetch step, from what the container measured. */
export const fetchedImport = (
  { storageFilename }: ImportRequest,
  measured: MediaFacts,
  stored: StoredMedia,
  readBy?: ReadBy,
): FetchedImport => {
  const { extension, sizeBytes, clip, transcoded, ...facts } = measured
  return {
    ...facts,
    ...(clip && { clip }),
    ...(transcoded !== undefined && { transcoded }),
    ...(readBy && { readBy }),
    billedBytes: billedBytes(measured),
    filename: storageFilename === null ? filenameOf(facts.title, extension) : filename(storageFilename, extension),
    fileSizeBytes: sizeBytes,
    stored,
  }
}
