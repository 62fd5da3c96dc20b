import type { PendingUpload, ReadyUpload, RemovedUpload } from '../api-types.ts'
import { withinCall } from '../http/call.ts'
import { Group, pathOf } from '../http/connection.ts'
import type { CallOptions, FileSource, UploadOptions } from '../options.ts'
import { sendFile } from './send-file.ts'

export class Uploads extends Group {
  /**
   * Uploads a file in parts, and resolves when it can be transcribed. Only a few parts are in memory at a time.
   *
   * ```ts
   * const { uploadId } = await haul.uploads.create('interview.mp3')
   * ```
   */
  create(file: FileSource, options: UploadOptions = {}): Promise<ReadyUpload> {
    return withinCall(options, (call) => sendFile(this.connection, call, file, options))
  }

  get(uploadId: string, options: CallOptions = {}): Promise<PendingUpload | ReadyUpload> {
    return this.connection.call(options, { path: pathOf('uploads', uploadId) })
  }

  /** Jobs that read the file continue. */
  delete(uploadId: string, options: CallOptions = {}): Promise<RemovedUpload> {
    return this.connection.call(options, { method: 'DELETE', path: pathOf('uploads', uploadId) })
  }
}
