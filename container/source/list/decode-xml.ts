/** RFC 7303, section 3.2: the byte order mark takes precedence over the Content-Type, and that over the document. */
export const decodeXml = (bytes: Uint8Array, contentType: string | null): string =>
  decode(bytes, markOf(bytes) ?? charsetOf(contentType) ?? declaredIn(bytes))

const decode = (bytes: Uint8Array, encoding: string | undefined): string => {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const markOf = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

const charsetOf = (contentType: string | null): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1]

const DECLARATION_BYTES = 200

const declaredIn = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1')
  return /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})/.exec(head)?.[1]
}
