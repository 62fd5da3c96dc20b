import { fromBase64Url, toBase64Url, utf8 } from '../encoding.ts'
import { RecentValues } from '../recent-values.ts'

/** HMAC signatures of links and lease tokens: anyone can read the text, and only the Worker can sign it. */
export const sign = async (key: CryptoKey, text: string): Promise<string> =>
  toBase64Url(await crypto.subtle.sign('HMAC', key, utf8(text)))

const recentSignatures = new WeakMap<CryptoKey, RecentValues<string, string>>()

/** For texts that are signed again and again, such as the links of a job. */
export const signOnce = async (key: CryptoKey, text: string): Promise<string> => {
  const known = recentSignatures.get(key) ?? new RecentValues<string, string>(10_000)
  recentSignatures.set(key, known)
  const signature = known.get(text) ?? (await sign(key, text))
  known.set(text, signature)
  return signature
}

export const isSigned = async (key: CryptoKey, text: string, signature: string): Promise<boolean> => {
  const bytes = fromBase64Url(signature)
  // The last character of base64 has unused bits, and `atob` accepts padding and white space. A second spelling of a
  // signature would be a second link.
  if (bytes === null || toBase64Url(bytes) !== signature) return false
  return crypto.subtle.verify('HMAC', key, bytes, utf8(text))
}
