import { parseXml, XmlElement } from '@rgrove/parse-xml'
import { BucketRefusal, refusalCode } from './refusal.ts'

/** S3's answers are a few hundred bytes of XML. Whoever sends more is not S3. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_WORDS = 300

/** What the server said of one request: status, headers and at most 64 KiB of its words. */
export interface Answer {
  status: number
  headers: Headers
  text: string
}

export const readAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  text: await readText(response),
})

const readText = async (response: Response): Promise<string> => {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let text = ''
  let sizeBytes = 0
  while (sizeBytes < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    sizeBytes += value.length
    text += decoder.decode(value.subarray(0, value.length - Math.max(0, sizeBytes - MAX_ANSWER_BYTES)), {
      stream: true,
    })
  }
  await reader.cancel()
  return text
}

/**
 * The parser is strict and knows no DTD, so no entities to blow up. What it can't read (a load
 * balancer's HTML, a page cut at the limit) is no answer of S3's: null, and the status decides.
 */
export const readXml = (text: string): XmlElement | null => {
  try {
    // CompleteMultipartUpload sends white space to keep the connection alive while it works.
    return parseXml(text.trim()).root
  } catch {
    return null
  }
}

export const childrenOf = (element: XmlElement | null, name: string): XmlElement[] =>
  (element?.children ?? []).filter((child): child is XmlElement => child instanceof XmlElement && child.name === name)

export const textOf = (element: XmlElement | null, name: string): string | undefined =>
  childrenOf(element, name)[0]?.text.trim() || undefined

/** A delay in seconds or a date; nonsense is as good as none. */
const retryAfter = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const delayMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : undefined
}

/** A server may echo what it was sent. Words go into messages and logs: no secrets, no control characters, no essays. */
export const clean = (words: string, secrets: string[]): string => {
  let cleaned = words
  for (const secret of secrets) if (secret) cleaned = cleaned.replaceAll(secret, '***')
  cleaned = cleaned.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return cleaned.length > MAX_WORDS ? `${cleaned.slice(0, MAX_WORDS).toWellFormed()}…` : cleaned
}

export const refusalOf = (answer: Answer, secrets: string[], now: number): BucketRefusal => {
  const error = readXml(answer.text)
  const serverCode = textOf(error, 'Code')
  const code = refusalCode(answer.status, serverCode)
  const region = textOf(error, 'Region') ?? answer.headers.get('x-amz-bucket-region') ?? textOf(error, 'Endpoint')
  const said = [serverCode ?? `HTTP ${answer.status}`, textOf(error, 'Message')].filter(Boolean).join(': ')
  const words = code === 'STORAGE_REDIRECT' && region ? `${said} (the bucket is at ${region})` : said
  return new BucketRefusal(code, {
    status: answer.status,
    words: clean(words, secrets),
    retryAfterMs: retryAfter(answer.headers, now),
  })
}
