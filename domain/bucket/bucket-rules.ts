import { isPublicHost } from '../network/addresses.ts'
import { fits, type TextRule } from '../text-rule.ts'

/**
 * The Worker signs requests with these values, so none of them may add another host, a parent path or a header.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */

/** AWS accepts all of these in a plain PUT, R2 only STANDARD and STANDARD_IA. Servers reject the ones they lack. */
export const storageClasses = [
  'STANDARD',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
  'REDUCED_REDUNDANCY',
] as const
export type StorageClass = (typeof storageClasses)[number]

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const IP_ADDRESS = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/

export const bucketNameProblem = (bucket: string): string | null => {
  if (!BUCKET.test(bucket)) return 'must be 3 to 63 lowercase letters, digits, dots and hyphens'
  if (bucket.includes('..')) return 'must not contain two dots in a row'
  if (IP_ADDRESS.test(bucket)) return 'must not look like an IP address'
  return null
}

/** JSON Schema needs the rule in one expression. */
export const bucketNameRule: TextRule = {
  pattern: String.raw`^(?![0-9]{1,3}(?:\.[0-9]{1,3}){3}$)[a-z0-9](?:\.?[a-z0-9-])*\.?[a-z0-9]$`,
  minLength: 3,
  maxLength: 63,
}

export const regionRule: TextRule = { pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$', maxLength: 64 }

/** The region is signed as a part between slashes. */
export const regionProblem = (region: string): string | null =>
  fits(regionRule, region) ? null : 'must be a region such as us-east-1, or auto'

/** Visible ASCII without `,`, `/` and `=`: it goes into a header, between slashes and commas. */
export const accessKeyIdRule: TextRule = { pattern: '^[!-+.0-<>-~-]+$', maxLength: 256 }

export const accessKeyIdProblem = (accessKeyId: string): string | null =>
  fits(accessKeyIdRule, accessKeyId)
    ? null
    : 'must be printable characters without spaces, slashes, commas or equal signs'

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

/** What JSON Schema can say of it. Whether a host is public is not a property of its name alone. */
export const endpointRule: TextRule = {
  pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/\\?#@]+(?:/[^\s\\?#]*)?$`,
  maxLength: 512,
}

/** `privateHosts`: the operator's exceptions, which may use http. Addresses of names are checked when connecting. */
export const endpointProblem = (endpoint: string, privateHosts: ReadonlySet<string>): string | null => {
  const url = URL.parse(endpoint)
  if (!url || endpoint.length > 512) return 'must be a URL such as https://s3.us-east-1.amazonaws.com'
  if (url.username || url.password) return 'must not carry credentials'
  if (url.search || url.hash || /[?#]/.test(endpoint)) return 'must not carry a query or fragment'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL'
  if (privateHosts.has(`${url.hostname}:${portOf(url)}`)) return null
  if (url.protocol !== 'https:') return 'must be an https URL'
  return isPublicHost(url.hostname) ? null : 'must be a public host'
}
