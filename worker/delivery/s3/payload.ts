/** Bytes that Web Crypto and fetch take as they are. */
export type Bytes = Uint8Array<ArrayBuffer>

/** A body in memory with its SHA-256, computed once however often it is sent. */
export interface Payload {
  bytes: Bytes
  digest: Bytes
}

/** The runtimes' types say that an encoder might have shared its memory. */
export const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text))

export const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

export const payloadOf = async (bytes: Bytes): Promise<Payload> => ({ bytes, digest: await sha256(bytes) })

export const hex = (bytes: Bytes): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const base64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes))

export const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
