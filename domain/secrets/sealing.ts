import { type Bytes, concatenated, fromBase64, fromBase64Url, type Key, toBase64Url, utf8 } from '../encoding.ts'

/**
 * Each record is encrypted with a data key of its own (AES-256-GCM), which a master key of `SEAL_KEYS` wraps (`k2:<base64 of
 * 32 bytes>,k1:<…>`): the first encrypts, all decrypt. Account and record are additional data, so a sealed text that is
 * copied into another row does not open. Rotation: put a new key first, `reseal` every record, then remove the old key.
 * s1.<key id>.<base64url of: wrap nonce 12 | wrapped key 32 + tag 16 | nonce 12 | ciphertext + tag 16>
 */
interface SealContext {
  accountId: string
  /** Which secret of the account, for example `storage` or `provider/openai`. */
  record: string
}

export type Sealer = Awaited<ReturnType<typeof openSealer>>

/** Gives no details, so that an attacker learns nothing from it. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

const VERSION = 's1'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const WRAPPED_BYTES = KEY_BYTES + 16
const HEAD_BYTES = NONCE_BYTES + WRAPPED_BYTES + NONCE_BYTES
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/

const NOT_SEALED = 'This is not a sealed secret'

const random = (size: number): Bytes => crypto.getRandomValues(new Uint8Array(size))

/** JSON separates the values unambiguously: `a` + `bc` is never read as `ab` + `c`. */
const bound = (purpose: 'key' | 'text', keyId: string, { accountId, record }: SealContext): Bytes =>
  utf8(JSON.stringify(['haul', VERSION, purpose, keyId, accountId, record]))

const importKey = (bytes: Bytes): Promise<Key> =>
  crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])

const encrypt = async (key: Key, iv: Bytes, additionalData: Bytes, plain: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plain))

const decrypt = async (key: Key, iv: Bytes, additionalData: Bytes, secret: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, secret))

const keyBytes = (base64: string): Bytes | null => {
  try {
    return fromBase64(base64)
  } catch {
    return null
  }
}

/** Throws a sentence for the operator, without the keys. */
export const parseSealKeys = (sealKeys: string): Map<string, Bytes> => {
  const entries = sealKeys.split(',').map((entry): [string, Bytes] => {
    const [, id = '', base64 = ''] = /^([^:]*):(.*)$/.exec(entry.trim()) ?? []
    const bytes = keyBytes(base64)
    if (!KEY_ID.test(id) || bytes?.length !== KEY_BYTES) {
      throw new Error('SEAL_KEYS must be id:base64 entries of 32 bytes each, separated by commas')
    }
    return [id, bytes]
  })
  const keys = new Map(entries)
  if (keys.size !== entries.length) throw new Error('SEAL_KEYS names a key twice')
  return keys
}

export const openSealer = async (sealKeys: string) => {
  const entries = [...parseSealKeys(sealKeys)]
  const masters = new Map(await Promise.all(entries.map(async ([id, bytes]) => [id, await importKey(bytes)] as const)))
  const [currentId = ''] = masters.keys()

  const masterOf = (keyId: string): Key => {
    const master = masters.get(keyId)
    if (!master) throw new SealBroken('The sealing key of this secret is not known')
    return master
  }

  const seal = async (text: string, context: SealContext): Promise<string> => {
    const dataKey = random(KEY_BYTES)
    const wrapNonce = random(NONCE_BYTES)
    const nonce = random(NONCE_BYTES)
    const wrapped = await encrypt(masterOf(currentId), wrapNonce, bound('key', currentId, context), dataKey)
    const secret = await encrypt(await importKey(dataKey), nonce, bound('text', currentId, context), utf8(text))
    return `${VERSION}.${currentId}.${toBase64Url(concatenated(wrapNonce, wrapped, nonce, secret))}`
  }

  /** Throws `SealBroken` for any other text or context than those of `seal`. */
  const unseal = async (sealed: string, context: SealContext): Promise<string> => {
    const { keyId, bytes } = parseSealed(sealed)
    const master = masterOf(keyId)
    try {
      const [wrapNonce, wrapped, nonce, secret] = split(bytes)
      const dataKey = await importKey(await decrypt(master, wrapNonce, bound('key', keyId, context), wrapped))
      return new TextDecoder().decode(await decrypt(dataKey, nonce, bound('text', keyId, context), secret))
    } catch {
      throw new SealBroken('The secret does not open here')
    }
  }

  /** The secret under the current master key, or null if it is already sealed with that one. */
  const reseal = async (sealed: string, context: SealContext): Promise<string | null> =>
    parseSealed(sealed).keyId === currentId ? null : seal(await unseal(sealed, context), context)

  return { seal, unseal, reseal }
}

const parseSealed = (sealed: string): { keyId: string; bytes: Bytes } => {
  const [version, keyId = '', body = '', ...rest] = sealed.split('.')
  const bytes = fromBase64Url(body)
  if (version !== VERSION || rest.length > 0 || !bytes || bytes.length < HEAD_BYTES) throw new SealBroken(NOT_SEALED)
  // Base64 has unused bits at its end, so only one encoding of a secret is accepted.
  if (toBase64Url(bytes) !== body) throw new SealBroken(NOT_SEALED)
  return { keyId, bytes }
}

const split = (bytes: Bytes): [Bytes, Bytes, Bytes, Bytes] => [
  bytes.subarray(0, NONCE_BYTES),
  bytes.subarray(NONCE_BYTES, NONCE_BYTES + WRAPPED_BYTES),
  bytes.subarray(NONCE_BYTES + WRAPPED_BYTES, HEAD_BYTES),
  bytes.subarray(HEAD_BYTES),
]
