import { RECEIVING_MS, type Upload } from '../../domain/uploads/upload.ts'
import type { AccountAnswer, RequestIdentity } from './calls.ts'
import { isCounted } from './entry/authenticated-request.ts'
import { ForOperators } from './for-operators.ts'
import * as uploads from './uploads/life-of-uploads.ts'
import { uploadOf } from './uploads/upload-rows.ts'

/** The account's methods for uploads. The first call of a request counts it, and the others continue it. */
export abstract class ForUploads extends ForOperators {
  reserveUpload(identity: RequestIdentity, file: uploads.NewUpload): Promise<AccountAnswer<Upload>> {
    const { rows, requests } = this.state
    return requests.handle(identity, (now) => uploads.reserveUpload(rows, file, identity.endpoint, now))
  }

  /**
   * For a file that arrives in the body of a start. Only a refusal counts, because the start is counted itself. The size is
   * not known yet.
   */
  reserveReceivedFile(
    identity: RequestIdentity,
    file: Omit<uploads.NewUpload, 'sizeBytes'>,
  ): Promise<AccountAnswer<Upload>> {
    const { rows, requests } = this.state
    const reserve = (now: number) =>
      uploads.reserveUpload(rows, { ...file, sizeBytes: 0 }, identity.endpoint, now, RECEIVING_MS)
    return requests.handle(identity, reserve, { counts: (result) => !result.ok && isCounted(result) })
  }

  /** A received file is not needed any more, except by jobs that read it: they keep its object until they end. */
  discardReceivedFile(id: string): Promise<void> {
    return this.state.clockwork.act((now) => uploads.discardReceivedFile(this.state.rows, id, now))
  }

  upload(identity: RequestIdentity, id: string): Promise<AccountAnswer<Upload>> {
    return this.state.requests.read(identity, (now) => uploadOf(this.state.rows.sql, id, now))
  }

  uploadToComplete(identity: RequestIdentity, id: string): Promise<AccountAnswer<Upload>> {
    return this.state.requests.read(identity, (now) => uploads.uploadToComplete(this.state.rows, id, now))
  }

  removeUpload(identity: RequestIdentity, id: string): Promise<AccountAnswer<Upload>> {
    return this.state.requests.handle(identity, (now) => uploads.removeUpload(this.state.rows, id, now))
  }

  /** null: the upload is not waiting for this attempt, whose multipart upload is to be aborted. */
  startUploadAttempt(attempt: uploads.UploadAttempt): Promise<Upload | null> {
    return this.state.clockwork.act((now) => uploads.startAttempt(this.state.rows, attempt, now))
  }

  /** null: the upload was removed meanwhile, or has another attempt. */
  markUploadReady(file: Parameters<typeof uploads.markReady>[1]): Promise<Upload | null> {
    return this.state.clockwork.act((now) => uploads.markReady(this.state.rows, file, now))
  }
}
