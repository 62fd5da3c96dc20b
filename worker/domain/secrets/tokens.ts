/** Signed text: what it says can be read by anyone and written by nobody else. */
const encoder = new TextEncoder()

const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

export const sign = async (key: CryptoKey, text: string): Promise<string> =>
  toBase64Url(await crypto.subtle.sign('HMAC', key, encoder.encode(text)))

export const isSigned = async (key: CryptoKey, text: string, signature: string): Promise<boolean> => {
  const bytes = fromBase64Url(signature)
  return bytes !== null && crypto.subtle.verify('HMAC', key, bytes, encoder.encode(text))
}
