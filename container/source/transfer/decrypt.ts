import { createDecipheriv, type Decipheriv } from 'node:crypto'
import { SourceFailure } from '../failure.ts'

/** Turns encrypted pieces into plain ones, in order; `end` gives what is left. */
export interface Decryption {
  add(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
}

export const noDecryption: Decryption = { add: (bytes) => bytes, end: () => new Uint8Array() }

/** RFC 8216 4.3.2.4: AES-128 in CBC mode with PKCS7 padding, each segment on its own. */
export function aes128(key: Uint8Array, iv: Uint8Array): Decryption {
  let decipher: Decipheriv | null | undefined
  return {
    add(bytes) {
      // Some packagers declare a key for an initialization section and leave it in the clear.
      if (decipher === undefined) decipher = isPlain(bytes) ? null : createDecipheriv('aes-128-cbc', key, iv)
      return decipher ? decipher.update(bytes) : bytes
    },
    end() {
      try {
        return decipher ? decipher.final() : new Uint8Array()
      } catch (cause) {
        // Cut within a block, or another key: either way not the segment that was promised.
        throw new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source could not be decrypted.', { cause })
      }
    },
  }
}

const isPlain = (bytes: Uint8Array) => Buffer.from(bytes.subarray(4, 8)).toString('latin1') === 'ftyp'
