import { isId, newId } from '../ids.ts'

/**
 * An API key names its account and carries a keyed checksum, `haul_<account>_<secret>_<checksum>`: a
 * forged key is refused where it arrives, before any storage is touched. Only a hash of it is kept.
 */
export interface ParsedKey {
  accountId: string
  hash: string
}

const SHAPE = /^haul_([0-9a-z]{26})_([A-Za-z0-9]{32})_([0-9a-f]{24})$/
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const encoder = new TextEncoder()
const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const sha256Hex = async (text: string): Promise<string> =>
  hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)))

const checksumOf = async (signing: CryptoKey, body: string): Promise<string> =>
  hex(await crypto.subtle.sign('HMAC', signing, encoder.encode(body))).slice(0, 24)

/** 62 does not divide 256: bytes that would favour the first letters are thrown away. */
const randomSecret = (length: number): string => {
  let secret = ''
  while (secret.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && secret.length < length) secret += ALPHABET[byte % 62]
    }
  }
  return secret
}

export interface NewKey {
  id: string
  apiKey: string
  hash: string
}

export const makeKey = async (signing: CryptoKey, accountId: string, now: number): Promise<NewKey> => {
  const body = `haul_${accountId.slice('acct_'.length)}_${randomSecret(32)}`
  const apiKey = `${body}_${await checksumOf(signing, body)}`
  return { id: newId('key', now), apiKey, hash: await sha256Hex(apiKey) }
}

export const parseKey = async (signing: CryptoKey, apiKey: string): Promise<ParsedKey | null> => {
  const parts = SHAPE.exec(apiKey)
  if (!parts) return null
  const accountId = `acct_${parts[1]}`
  if (!isId('account', accountId)) return null
  const body = apiKey.slice(0, apiKey.lastIndexOf('_'))
  if (!sameText(await checksumOf(signing, body), parts[3] ?? '')) return null
  return { accountId, hash: await sha256Hex(apiKey) }
}

/** Takes as long for a near miss as for a far one. */
export const sameText = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
