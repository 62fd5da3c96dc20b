import { isSigned, sign } from '../domain/secrets/tokens.ts'

/**
 * A link to media is its own permission: it names the job, the file and the time it ends. The attempt that
 * stored the bytes rides in the signature, which callers have no reason to read.
 */
export interface MediaLink {
  jobId: string
  filename: string
  attempt: number
  expiresAt: number
}

export type Shape = 'media' | 'thumbnail'

/** The name of every thumbnail; no media file can take it, since names of media keep their title. */
export const THUMBNAIL = 'thumbnail.jpg'

export const mediaLink = async (key: CryptoKey, origin: string, link: MediaLink): Promise<string> => {
  const expires = Math.floor(link.expiresAt / 1000)
  const signature = `${link.attempt}.${await sign(key, signedText(link, expires))}`
  return `${origin}/media/${link.jobId}/${encodeURIComponent(link.filename)}?expires=${expires}&signature=${signature}`
}

export type LinkVerdict = { valid: false } | { valid: true; expired: boolean; attempt: number }

export const checkLink = async (
  key: CryptoKey,
  { jobId, filename, expires, signature }: { jobId: string; filename: string; expires: string; signature: string },
  now: number,
): Promise<LinkVerdict> => {
  const [, attempt = '', mac = ''] = /^([1-9]\d{0,2})\.([\w-]+)$/.exec(signature) ?? []
  if (!/^[1-9]\d{0,11}$/.test(expires) || mac === '') return { valid: false }
  const link = { jobId, filename, attempt: Number(attempt), expiresAt: 0 }
  if (!(await isSigned(key, signedText(link, Number(expires)), mac))) return { valid: false }
  return { valid: true, expired: now >= Number(expires) * 1000, attempt: Number(attempt) }
}

const signedText = ({ jobId, filename, attempt }: MediaLink, expires: number): string =>
  ['media', jobId, attempt, expires, filename].join('\n')
