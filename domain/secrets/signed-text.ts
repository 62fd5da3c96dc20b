import { fromBase64Url, toBase64Url, utf8 } from '../encoding.ts'

/** HMAC signatures of links and lease tokens: anyone can read the text, and only the Worker can sign it. */
export const sign = async (key: CryptoKey, text: string): Promise<string> =>
  toBase64Url(await crypto.subtle.sign('HMAC', key, utf8(text)))

export const isSigned = async (key: CryptoKey, text: string, signature: string): Promise<boolean> => {
  const bytes = fromBase64Url(signature)
  // The last character of base64 has unused bits, and `atob` accepts padding and white space. A second spelling of a
  // signature would be a second link.
  if (bytes === null || toBase64Url(bytes) !== signature) return false
  return crypto.subtle.verify('HMAC', key, bytes, utf8(text))
}
