import { createCipheriv, createDecipheriv, createHash, hash as hashOnce, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Random } from './random.ts'

/** A key of the double. The product sees it as a CryptoKey and never looks inside. */
interface Key {
  type: 'secret'
  algorithm: object
  bytes: Buffer
  /** Of HMAC: the key as its two blocks. */
  pads?: { inner: Buffer; outer: Buffer }
}

type Data = ArrayBuffer | ArrayBufferView
type HashName = string | { name: string }

const bytesOf = (data: Data): Buffer =>
  ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data)

const arrayBufferOf = (buffer: Buffer): ArrayBuffer => new Uint8Array(buffer).buffer

const hashNameOf = (hash: HashName): string =>
  (typeof hash === 'string' ? hash : hash.name).replace('-', '').toLowerCase()

interface HmacAlgorithm {
  name: string
  hash?: HashName
  length?: number
}

interface HkdfAlgorithm {
  hash: HashName
  salt: Data
  info: Data
}

interface GcmAlgorithm {
  iv: Data
  additionalData?: Data
}

const TAG_BYTES = 16
const hmacHash = (key: Key): string => hashNameOf((key.algorithm as HmacAlgorithm).hash ?? 'SHA-256')

/** RFC 2104. Node's Hmac costs three times as much, most of it for its key. */
const hmac = (key: Key, data: Data): Buffer => {
  const name = hmacHash(key)
  key.pads ??= padsOf(name, key.bytes)
  const inner = hashOnce(name, Buffer.concat([key.pads.inner, bytesOf(data)]), 'buffer')
  return hashOnce(name, Buffer.concat([key.pads.outer, inner]), 'buffer')
}

const padsOf = (name: string, bytes: Buffer): { inner: Buffer; outer: Buffer } => {
  const blockBytes = name === 'sha384' || name === 'sha512' ? 128 : 64
  const block = Buffer.alloc(blockBytes)
  if (bytes.length > blockBytes) hashOnce(name, bytes, 'buffer').copy(block)
  else bytes.copy(block)
  return { inner: block.map((byte) => byte ^ 0x36) as Buffer, outer: block.map((byte) => byte ^ 0x5c) as Buffer }
}

/**
 * WebCrypto as far as the Worker uses it, without threads: the real one settles its promises at a time that no seed
 * decides.
 */
const subtle = {
  digest: async (hash: HashName, data: Data) => arrayBufferOf(hashOnce(hashNameOf(hash), bytesOf(data), 'buffer')),
  importKey: async (format: string, data: Data, algorithm: string | object): Promise<Key> => {
    if (format !== 'raw') throw new Error(`importKey of ${format} is not simulated`)
    const named = typeof algorithm === 'string' ? { name: algorithm } : algorithm
    return { type: 'secret', algorithm: named, bytes: Buffer.from(bytesOf(data)) }
  },
  deriveKey: async ({ hash, salt, info }: HkdfAlgorithm, key: Key, derived: HmacAlgorithm): Promise<Key> => {
    const length = (derived.length ?? 256) / 8
    const bytes = hkdfSync(hashNameOf(hash), key.bytes, bytesOf(salt), bytesOf(info), length)
    return { type: 'secret', algorithm: derived, bytes: Buffer.from(bytes) }
  },
  sign: async (_name: HashName, key: Key, data: Data) => arrayBufferOf(hmac(key, data)),
  verify: async (_name: HashName, key: Key, signature: Data, data: Data): Promise<boolean> => {
    const expected = hmac(key, data)
    const given = bytesOf(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  },
  encrypt: async ({ iv, additionalData }: GcmAlgorithm, key: Key, data: Data): Promise<ArrayBuffer> => {
    const cipher = createCipheriv(gcmOf(key), key.bytes, bytesOf(iv))
    if (additionalData) cipher.setAAD(bytesOf(additionalData))
    return arrayBufferOf(Buffer.concat([cipher.update(bytesOf(data)), cipher.final(), cipher.getAuthTag()]))
  },
  decrypt: async ({ iv, additionalData }: GcmAlgorithm, key: Key, data: Data): Promise<ArrayBuffer> => {
    const sealed = bytesOf(data)
    const decipher = createDecipheriv(gcmOf(key), key.bytes, bytesOf(iv))
    if (additionalData) decipher.setAAD(bytesOf(additionalData))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      return arrayBufferOf(Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]))
    } catch (cause) {
      throw Object.assign(new DOMException('Decryption failed', 'OperationError'), { cause })
    }
  },
}

const gcmOf = ({ bytes }: Key) => (bytes.length === 16 ? ('aes-128-gcm' as const) : ('aes-256-gcm' as const))

/** workerd's stream that hashes what is written to it. */
class DigestStream extends WritableStream<ArrayBuffer | ArrayBufferView> {
  readonly digest: Promise<ArrayBuffer>

  constructor(hashName: HashName) {
    const hash = createHash(hashNameOf(hashName))
    const { promise, resolve, reject } = Promise.withResolvers<ArrayBuffer>()
    promise.catch(() => {})
    super({
      write: (chunk) => void hash.update(bytesOf(chunk)),
      close: () => resolve(arrayBufferOf(hash.digest())),
      abort: (reason) => reject(reason),
    })
    this.digest = promise
  }
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export const createCrypto = (random: Random) => ({
  subtle,
  DigestStream,
  getRandomValues: <T extends ArrayBufferView>(view: T): T => {
    random.fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
    return view
  },
  randomUUID: (): string => {
    const bytes = new Uint8Array(16)
    random.fill(bytes)
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
    const text = (from: number, to: number) => Array.from(bytes.subarray(from, to), (byte) => hex[byte]).join('')
    return [text(0, 4), text(4, 6), text(6, 8), text(8, 10), text(10, 16)].join('-')
  },
})
