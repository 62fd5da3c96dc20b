/** Bytes as text. In one place, because neither workerd nor Node 24 has `Uint8Array.toHex` and `toBase64` yet. */
export type Bytes = Uint8Array<ArrayBuffer>

/** CryptoKey is a type in the Workers runtime and only a value in Node's types. */
export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** `TextEncoder` is typed as if its memory could be shared, which Web Crypto does not accept. */
export const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text))

export const concatenated = (...pieces: Uint8Array[]): Bytes => {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}

export const toHex = (bytes: Uint8Array | ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** `String.fromCharCode` takes its bytes as arguments, and too many of them overflow the stack. Divisible by three. */
const GROUP_BYTES = 3 * 8_192

export const toBase64 = (buffer: Uint8Array | ArrayBuffer): string => {
  const bytes = new Uint8Array(buffer)
  let text = ''
  for (let at = 0; at < bytes.length; at += GROUP_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + GROUP_BYTES)))
  }
  return text
}

export const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** RFC 4648, section 5, without padding. */
export const toBase64Url = (bytes: Uint8Array | ArrayBuffer): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export const fromBase64Url = (text: string): Bytes | null => {
  try {
    return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return null
  }
}

/** A body as text, and whether it is longer than that: the rest is not read. */
export const readText = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> => {
  const decoder = new TextDecoder()
  let text = ''
  let left = maxBytes
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true })
    left -= chunk.length
    if (left < 0) return { text, isCut: true }
  }
  return { text: text + decoder.decode(), isCut: false }
}
