import { createDecipheriv, type Decipheriv } from 'node:crypto'
import { SourceFailure } from '../../failures.ts'

/** Decrypts the chunks of one segment in order. `end` returns the last bytes. */
export interface Decryption {
  add(bytes: Uint8Array): Uint8Array
  end(): Uint8Array
}

export const noDecryption: Decryption = { add: (bytes) => bytes, end: () => new Uint8Array() }

/** RFC 8216, section 4.3.2.4: AES-128 in CBC mode with PKCS7 padding, separately for each segment. */
export function aes128(key: Uint8Array, iv: Uint8Array): Decryption {
  let decipher: Decipheriv | null | undefined
  return {
    add(bytes) {
      // Some packagers declare a key for an initialization section but do not encrypt it.
      if (decipher === undefined) decipher = isPlain(bytes) ? null : createDecipheriv('aes-128-cbc', key, iv)
      return decipher ? decipher.update(bytes) : bytes
    },
    end() {
      try {
        return decipher ? decipher.final() : new Uint8Array()
      } catch (cause) {
        // The segment was cut within a block, or the key is wrong.
        throw new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source could not be decrypted.', { cause })
      }
    },
  }
}

const isPlain = (bytes: Uint8Array) => Buffer.from(bytes.subarray(4, 8)).toString('latin1') === 'ftyp'
