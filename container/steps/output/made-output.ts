import type { MediaFacts } from '../../../domain/protocol/protocol.ts'
import type { OutputFile } from '../../media/copy-streams.ts'
import type { DownloadedFiles } from '../download/download-renditions.ts'

/** A file with the requested streams, and the downloads that it was made from. */
export interface MadeOutput {
  output: OutputFile
  downloads: Pick<DownloadedFiles, 'files' | 'earlyUpload' | 'downloadedBytes'>
  /** For the caller. */
  note: string | null
  clip?: MediaFacts['clip'] & object
}

/** The step's percentage when the download is complete. */
export const DOWNLOADED_PERCENT = 90

/** What is done with the output while its downloads are open. */
export type Use<T> = (made: MadeOutput) => Promise<T>
