import type { PendingUpload, ReadyUpload, RemovedUpload } from './api-types.ts'
import type { CallOptions, FileSource, UploadOptions } from './options.ts'

export class Uploads {
  /**
   * Uploads a file in parts, and resolves when it can be transcribed.
   *
   * ```ts
   * const { uploadId } = await haul.uploads.create('interview.mp3')
   * ```
   */
  create(_file: FileSource, _options?: UploadOptions): Promise<ReadyUpload> {
    throw new Error('not implemented')
  }

  get(_uploadId: string, _options?: CallOptions): Promise<PendingUpload | ReadyUpload> {
    throw new Error('not implemented')
  }

  delete(_uploadId: string, _options?: CallOptions): Promise<RemovedUpload> {
    throw new Error('not implemented')
  }
}
