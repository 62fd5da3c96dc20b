import { parseXml, XmlElement } from '@rgrove/parse-xml'
import { retryAfterMs } from '../../../domain/retry.ts'
import { BucketRefusal, refusalCode } from './bucket-refusal.ts'

/** Responses of S3 to these requests are a few hundred bytes of XML. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_MESSAGE_CHARACTERS = 300

/** A response whose body was read, up to 64 KiB of it. */
export interface S3Response {
  status: number
  headers: Headers
  text: string
}

export const readResponse = async (response: Response): Promise<S3Response> => ({
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
  while (sizeBytes < MAX_TEXT_BYTES) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    sizeBytes += value.length
    text += decoder.decode(value.subarray(0, value.length - Math.max(0, sizeBytes - MAX_TEXT_BYTES)), {
      stream: true,
    })
  }
  await reader.cancel()
  return text
}

/**
 * The parser is strict and ignores DTDs, so entity expansion attacks do not work. Text that it cannot parse (a
 * load balancer's HTML, XML cut at the limit) is null, and the status alone counts.
 */
export const readXml = (text: string): XmlElement | null => {
  try {
    // CompleteMultipartUpload sends whitespace before the XML to keep the connection open.
    return parseXml(text.trim()).root
  } catch {
    return null
  }
}

export const childrenOf = (element: XmlElement | null, name: string): XmlElement[] =>
  (element?.children ?? []).filter((child): child is XmlElement => child instanceof XmlElement && child.name === name)

export const textOf = (element: XmlElement | null, name: string): string | undefined =>
  childrenOf(element, name)[0]?.text.trim() || undefined

/** A server may echo credentials. Its message goes to callers and logs, so it is redacted, flattened and cut. */
const sanitize = (message: string, secrets: string[]): string => {
  let safe = message
  for (const secret of secrets) if (secret) safe = safe.replaceAll(secret, '***')
  safe = safe.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return safe.length > MAX_MESSAGE_CHARACTERS ? `${safe.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…` : safe
}

export const refusalOf = (response: S3Response, secrets: string[], now: number): BucketRefusal => {
  const error = readXml(response.text)
  const serverCode = textOf(error, 'Code')
  const code = refusalCode(response.status, serverCode)
  const region = textOf(error, 'Region') ?? response.headers.get('x-amz-bucket-region') ?? textOf(error, 'Endpoint')
  const message = [serverCode ?? `HTTP ${response.status}`, textOf(error, 'Message')].filter(Boolean).join(': ')
  const withRegion = code === 'STORAGE_REDIRECT' && region ? `${message} (the bucket is at ${region})` : message
  return new BucketRefusal(code, {
    status: response.status,
    serverMessage: sanitize(withRegion, secrets),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
  })
}
