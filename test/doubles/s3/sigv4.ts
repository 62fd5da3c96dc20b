export interface WireRequest {
  method: string
  /** Path and query, byte for byte. */
  target: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

const UNRESERVED = /[A-Za-z0-9\-._~]/

const uriEncode = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte)
    return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

/**
 * What S3 refuses of a signed request and versitygw may not, or null: a path that is not in canonical form, and a header
 * that must be signed. versitygw checks the signature, the hash of the body, the time, the region and the key itself.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export const sigV4Problem = ({ target, headers }: WireRequest): string | null => {
  const [, signed = ''] =
    /^AWS4-HMAC-SHA256 Credential=\S+, ?SignedHeaders=([a-z0-9;-]+), /.exec(headers.authorization ?? '') ?? []
  const required = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  const missing = required.find((name) => !signed.split(';').includes(name))
  if (missing) return `${missing} is not signed`
  const [path = ''] = target.split('?')
  const canonical = path.split('/').map((segment) => uriEncode(decodeURIComponent(segment)))
  return path === canonical.join('/') ? null : `the path ${path} is not in canonical form`
}
