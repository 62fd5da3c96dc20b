/**
 * Secrets of callers (bucket keys, provider keys) at rest.
 *
 * Every record is encrypted with a data key of its own (AES-256-GCM); the data key is wrapped by a master
 * key from the Worker's secret `SEAL_KEYS`, `k2:<base64 of 32 bytes>,k1:<…>`, of which the first seals and all
 * open. Account and record are bound as additional data: a sealed text copied into another account's
 * row, or another record of the same account, does not open.
 *
 *   s1.<key id>.<base64url of: wrap nonce 12 | wrapped key 32 + tag 16 | nonce 12 | ciphertext + tag 16>
 *
 * Rotation: put a new key first, `reseal` every record, then take the old key away.
 */
export interface SealContext {
  accountId: string
  /** Which secret of the account, for example `storage` or `provider/openai`. */
  record: string
}

export interface Sealer {
  seal(text: string, context: SealContext): Promise<string>
  /** Throws `SealBroken` for anything but the very text that was sealed for this context. */
  unseal(sealed: string, context: SealContext): Promise<string>
  /** The same secret under the current master key, or null when it lies under that one already. */
  reseal(sealed: string, context: SealContext): Promise<string | null>
}

/** Says nothing of why: which byte was wrong is no one's business. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

type Bytes = Uint8Array<ArrayBuffer>
/** CryptoKey is a type to the Workers runtime and only a value to Node's types. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const VERSION = 's1'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const WRAPPED_BYTES = KEY_BYTES + 16
const HEAD_BYTES = NONCE_BYTES + WRAPPED_BYTES + NONCE_BYTES
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/

const NOT_SEALED = 'This is not a sealed secret'

/** The runtimes' types say that an encoder might have shared its memory. */
const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text))
const random = (size: number): Bytes => crypto.getRandomValues(new Uint8Array(size))

/** JSON keeps the borders: `a` + `bc` never reads as `ab` + `c`. */
const bound = (purpose: 'key' | 'text', keyId: string, { accountId, record }: SealContext): Bytes =>
  utf8(JSON.stringify(['haul', VERSION, purpose, keyId, accountId, record]))

const importKey = (bytes: Bytes): Promise<Key> =>
  crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])

const encrypt = async (key: Key, iv: Bytes, additionalData: Bytes, plain: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plain))

const decrypt = async (key: Key, iv: Bytes, additionalData: Bytes, secret: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, secret))

const parseKeys = (sealKeys: string): [string, Bytes][] =>
  sealKeys.split(',').map((entry) => {
    const [, id = '', base64 = ''] = /^\s*([^:]*):(.*?)\s*$/.exec(entry) ?? []
    const bytes = fromBase64(base64)
    if (!KEY_ID.test(id) || bytes?.length !== KEY_BYTES) {
      throw new Error('SEAL_KEYS must be id:base64 entries of 32 bytes each, separated by commas')
    }
    return [id, bytes]
  })

export const openSealer = async (sealKeys: string): Promise<Sealer> => {
  const entries = parseKeys(sealKeys)
  const masters = new Map(await Promise.all(entries.map(async ([id, bytes]) => [id, await importKey(bytes)] as const)))
  if (masters.size !== entries.length) throw new Error('SEAL_KEYS names a key twice')
  const [currentId = ''] = entries[0] ?? []

  const masterOf = (keyId: string): Key => {
    const master = masters.get(keyId)
    if (!master) throw new SealBroken('The sealing key of this secret is not known')
    return master
  }

  const seal: Sealer['seal'] = async (text, context) => {
    const dataKey = random(KEY_BYTES)
    const wrapNonce = random(NONCE_BYTES)
    const nonce = random(NONCE_BYTES)
    const wrapped = await encrypt(masterOf(currentId), wrapNonce, bound('key', currentId, context), dataKey)
    const secret = await encrypt(await importKey(dataKey), nonce, bound('text', currentId, context), utf8(text))
    return `${VERSION}.${currentId}.${toBase64Url(join(wrapNonce, wrapped, nonce, secret))}`
  }

  const unseal: Sealer['unseal'] = async (sealed, context) => {
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

  const reseal: Sealer['reseal'] = async (sealed, context) =>
    parseSealed(sealed).keyId === currentId ? null : seal(await unseal(sealed, context), context)

  return { seal, unseal, reseal }
}

const parseSealed = (sealed: string): { keyId: string; bytes: Bytes } => {
  const [version, keyId = '', body = '', ...rest] = sealed.split('.')
  const bytes = fromBase64(body.replaceAll('-', '+').replaceAll('_', '/'))
  if (version !== VERSION || rest.length > 0 || !bytes || bytes.length < HEAD_BYTES) throw new SealBroken(NOT_SEALED)
  // Base64 has spare bits at its end: one secret, one spelling.
  if (toBase64Url(bytes) !== body) throw new SealBroken(NOT_SEALED)
  return { keyId, bytes }
}

const split = (bytes: Bytes): [Bytes, Bytes, Bytes, Bytes] => [
  bytes.subarray(0, NONCE_BYTES),
  bytes.subarray(NONCE_BYTES, NONCE_BYTES + WRAPPED_BYTES),
  bytes.subarray(NONCE_BYTES + WRAPPED_BYTES, HEAD_BYTES),
  bytes.subarray(HEAD_BYTES),
]

const join = (...pieces: Bytes[]): Bytes => {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}

const toBase64Url = (bytes: Bytes): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const fromBase64 = (text: string): Bytes | null => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
