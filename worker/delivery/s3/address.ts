import ipaddr from 'ipaddr.js'
import type { BucketSettings } from '../../domain/storage/settings.ts'

/**
 * RFC 3986 to the letter, as SigV4 wants the canonical URI: all but `A-Za-z0-9-._~/` is escaped. `+` must
 * be among them: aws4fetch, and some servers, read a bare one as a space.
 */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')

/** A certificate for `*.host` does not cover a bucket with dots, and an address has no names below it. */
const needsPath = ({ bucket }: BucketSettings, host: string): boolean =>
  bucket.includes('.') || !host.includes('.') || ipaddr.isValid(host.replace(/^\[|\]$/g, ''))

/** Ends in a slash: keys are appended to it. */
export const bucketUrl = (settings: BucketSettings): string => {
  const url = new URL(settings.endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  if (settings.pathStyle || needsPath(settings, url.hostname)) return `${url.origin}${path}/${settings.bucket}/`
  return `${url.protocol}//${settings.bucket}.${url.host}${path}/`
}

export const objectUrl = (settings: BucketSettings, key: string): string => bucketUrl(settings) + encodeKey(key)
