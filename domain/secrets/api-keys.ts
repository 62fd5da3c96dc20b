import { toHex, utf8 } from '../encoding.ts'
import { isId, newId } from '../ids.ts'

/** `haul_<account>_<secret>_<checksum>`: a forged key is refused before any storage is read. Only a hash is stored. */
export interface ParsedKey {
  accountId: string
  hash: string
}

const SHAPE = /^haul_([0-9a-z]{26}(?:_[a-z]{2,4})?)_([A-Za-z0-9]{32})_([0-9a-f]{24})$/
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export const sha256Hex = async (text: string): Promise<string> =>
  toHex(await crypto.subtle.digest('SHA-256', utf8(text)))

const checksumOf = async (signing: CryptoKey, body: string): Promise<string> =>
  toHex(await crypto.subtle.sign('HMAC', signing, utf8(body))).slice(0, 24)

/** 256 is not divisible by 62. Bytes from 248 are discarded, so that no letter is more likely than another. */
const randomSecret = (length: number): string => {
  let secret = ''
  while (secret.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < 248 && secret.length < length) secret += ALPHABET[byte % 62]
    }
  }
  return secret
}

export const keyStart = (accountId: string): string => `haul_${accountId.slice('acct_'.length)}_`

const SHOWN_CHARACTERS = 4

export const makeKey = async (signing: CryptoKey, accountId: string, now: number) => {
  const start = keyStart(accountId)
  const body = start + randomSecret(32)
  const apiKey = `${body}_${await checksumOf(signing, body)}`
  const prefix = body.slice(0, start.length + SHOWN_CHARACTERS)
  return { id: newId('key', now), apiKey, hash: await sha256Hex(apiKey), prefix }
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

/** Constant-time comparison: the duration does not depend on where the texts differ. */
export const sameText = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
