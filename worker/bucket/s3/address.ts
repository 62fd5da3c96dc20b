import ipaddr from 'ipaddr.js'
import type { BucketSettings } from '../../../domain/bucket/storage-settings.ts'

/**
 * The canonical URI of SigV4 escapes all characters except `A-Za-z0-9-._~/` (RFC 3986). That includes `+`:
 * aws4fetch and some servers decode a bare `+` as a space.
 */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')

/** A certificate for `*.host` does not cover a bucket name with dots, and an IP address has no subdomains. */
const needsPathStyle = ({ bucket }: BucketSettings, host: string): boolean =>
  bucket.includes('.') || !host.includes('.') || ipaddr.isValid(host.replace(/^\[|\]$/g, ''))

/** Ends with a slash, so that keys can be appended. */
export const bucketUrl = (settings: BucketSettings): string => {
  const url = new URL(settings.endpoint)
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (settings.pathStyle || needsPathStyle(settings, url.hostname)) return `${url.origin}${path}/${settings.bucket}/`
  return `${url.protocol}//${settings.bucket}.${url.host}${path}/`
}

export const objectUrl = (settings: BucketSettings, key: string): string => bucketUrl(settings) + encodeKey(key)
