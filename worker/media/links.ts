import { isSigned, signOnce } from '../../domain/secrets/signed-text.ts'

/** A bearer URL. Its signature covers the job, the filename, the expiry and the attempt, which selects the object. */
export interface MediaLink {
  jobId: string
  filename: string
  attempt: number
  /** Milliseconds since 1970. The link itself has whole seconds. */
  expiresAt: number
}

/** The filename in every thumbnail link. No media has this extension. */
export const THUMBNAIL = 'thumbnail.jpg'

export const mediaLink = async (key: CryptoKey, origin: string, link: MediaLink): Promise<string> => {
  const expires = Math.floor(link.expiresAt / 1000)
  const signature = `${link.attempt}.${await signOnce(key, signedText(link, expires))}`
  return `${origin}/media/${link.jobId}/${encodeURIComponent(link.filename)}?expires=${expires}&signature=${signature}`
}

/** One signature covers all files of a job, because its captions and transcript outlive its media. */
export interface FilesLink {
  accountId: string
  jobId: string
  expiresAt: number
}

/** Returns the link of each file, by its name. */
export const fileLinks = async (key: CryptoKey, origin: string, link: FilesLink) => {
  const expires = Math.floor(link.expiresAt / 1000)
  const query = new URLSearchParams({
    account: link.accountId,
    expires: `${expires}`,
    signature: await signOnce(key, signedFiles(link, `${expires}`)),
  })
  return (filename: string): string => `${origin}/files/${link.jobId}/${encodeURIComponent(filename)}?${query}`
}

export const checkFilesLink = (
  key: CryptoKey,
  { accountId, jobId, expires, signature }: Omit<FilesLink, 'expiresAt'> & { expires: string; signature: string },
): Promise<boolean> => isSigned(key, signedFiles({ accountId, jobId }, expires), signature)

const signedFiles = ({ accountId, jobId }: Omit<FilesLink, 'expiresAt'>, expires: string): string =>
  ['files', accountId, jobId, expires].join('\n')

export type LinkCheck = { valid: false } | { valid: true; expired: boolean; attempt: number }

export const checkLink = async (
  key: CryptoKey,
  { jobId, filename, expires, signature }: { jobId: string; filename: string; expires: string; signature: string },
  now: number,
): Promise<LinkCheck> => {
  const [, attempt = '', mac = ''] = /^([1-9]\d{0,5})\.([\w-]+)$/.exec(signature) ?? []
  if (!/^[1-9]\d{0,11}$/.test(expires) || mac === '') return { valid: false }
  const link = { jobId, filename, attempt: Number(attempt), expiresAt: 0 }
  if (!(await isSigned(key, signedText(link, Number(expires)), mac))) return { valid: false }
  return { valid: true, expired: now >= Number(expires) * 1000, attempt: link.attempt }
}

const signedText = (link: MediaLink, expires: number): string =>
  ['media', link.jobId, link.attempt, expires, link.filename].join('\n')
