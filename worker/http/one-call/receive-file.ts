import type { Context } from 'hono'
import type { Result } from '../../../domain/codes/refusals.ts'
import { toHex } from '../../../domain/encoding.ts'
import { uploadKey } from '../../../domain/media/media-keys.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { account, type HttpEnv } from '../request-context.ts'
import { completeAttempt, inspectUpload } from '../uploads/complete-upload.ts'

/** The smallest part that R2 takes. Each file that arrives has a buffer of this size, and an isolate has 128 MB. */
const PART_BYTES = 5 * 1024 * 1024

/**
 * A file that arrives in the body of a request and becomes an upload. The account knows of it before its first byte is
 * stored. Its bytes are hashed as they pass, and stored in parts.
 */
export class FileReceiver {
  readonly #c: Context<HttpEnv>
  readonly #upload: Upload
  readonly #parts: R2MultipartUpload
  readonly #digest = new crypto.DigestStream('SHA-256')
  readonly #hash = this.#digest.getWriter()
  readonly #etags: string[] = []
  readonly #buffer: Uint8Array
  readonly #headBytes: number
  #filled: number
  #storedBytes = 0

  /** `upload` has a multipart upload in storage. `head` is stored before the bytes that arrive. */
  constructor(
    c: Context<HttpEnv>,
    upload: Upload,
    { bodyBytes, head = new Uint8Array() }: { bodyBytes: number | null; head?: Uint8Array | undefined },
  ) {
    this.#c = c
    this.#upload = upload
    this.#parts = c.env.MEDIA.resumeMultipartUpload(uploadKey(upload.id, upload), upload.multipartId ?? '')
    this.#buffer = new Uint8Array(Math.min(PART_BYTES, (bodyBytes ?? PART_BYTES) + head.length))
    this.#buffer.set(head)
    this.#filled = head.length
    this.#headBytes = head.length
  }

  get id(): string {
    return this.#upload.id
  }

  /** Without the head. */
  get receivedBytes(): number {
    return this.#storedBytes + this.#filled - this.#headBytes
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#hash.write(bytes)
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + this.#buffer.length - this.#filled)
      this.#buffer.set(piece, this.#filled)
      this.#filled += piece.length
      from += piece.length
      if (this.#filled === this.#buffer.length) await this.#storePart()
    }
  }

  /** All bytes have arrived. Resolves with their SHA-256. */
  async end(): Promise<string> {
    await this.#hash.close()
    return toHex(await this.#digest.digest)
  }

  /** Makes the bytes an upload that jobs can read, if they are media. */
  async complete(): Promise<Result<Upload>> {
    if (this.#filled > 0) await this.#storePart()
    const upload = { ...this.#upload, sizeBytes: this.#storedBytes }
    const completion = await completeAttempt(this.#c.env.MEDIA, upload, this.#etags)
    if (completion !== 'complete') throw new Error(`the parts of a received file are ${completion}`)
    return inspectUpload(this.#c, upload)
  }

  /** The object is deleted, when the job that reads it has ended. */
  async discard(): Promise<void> {
    await account(this.#c).discardReceivedFile(this.#upload.id)
  }

  async #storePart(): Promise<void> {
    const { etag } = await this.#parts.uploadPart(this.#etags.length + 1, this.#buffer.subarray(0, this.#filled))
    this.#etags.push(etag)
    this.#storedBytes += this.#filled
    this.#filled = 0
  }
}
