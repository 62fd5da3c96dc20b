import { maxSegments } from './segment-list.ts'

/** Of one URL. Signed URLs of real platforms have up to 2,000. */
export const maxUrlCharacters = 16_384
/** Of all URLs of a manifest together: 500 for each segment of the longest list. */
export const maxUrlsCharacters = 500 * maxSegments

/**
 * Makes the URLs of a manifest absolute, for one base and then for each URI; null for a URL that is invalid or above
 * the limits. Each URL contains its base, so without a limit on their sum a small manifest with a long base would
 * make gigabytes.
 */
export const createUrlResolver = () => {
  let leftCharacters = maxUrlsCharacters
  return (base: string | undefined) => {
    const whole = base && base.length <= maxUrlCharacters ? base : undefined
    // Without the query, which may be long and is not part of the URLs.
    const folder = whole && URL.parse('.', whole)?.href
    return (uri: string): string | null => {
      if (uri.length > maxUrlCharacters || leftCharacters < 0) return null
      const from = /^\s*(?:[?#]|$)/.test(uri) ? whole : folder
      const url = URL.parse(uri, from)?.href ?? ''
      leftCharacters -= Math.max(url.length, from?.length ?? 0)
      return url !== '' && url.length <= maxUrlCharacters && leftCharacters >= 0 ? url : null
    }
  }
}
