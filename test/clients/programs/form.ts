import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { createBrotliDecompress, createGunzip } from 'node:zlib'

/** A part of a form, with its headers as a program writes them. */
export interface Part {
  headers: string[]
  content: string | Buffer
}

export const field = (name: string, value: string): Part => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content: value,
})

/** `type` null: the program sends no Content-Type of the file. */
export const file = (name: string, filename: string, type: string | null, content: Buffer): Part => ({
  headers: [
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"`,
    ...(type === null ? [] : [`Content-Type: ${type}`]),
  ],
  content,
})

export interface ProgramRequest {
  method: 'GET' | 'POST'
  /** With its query. */
  url: string
  headers: Record<string, string>
  form?: { boundary: string; parts: Part[] }
  /** The program does not know the length of what it streams. */
  isChunked?: boolean
}

/** The body of a form, byte by byte. */
const bodyOf = ({ boundary, parts }: { boundary: string; parts: Part[] }): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

interface ProgramResponse {
  status: number
  body: string
}

/** Sends it without any header of our own. A key in the URL is sent as Basic authentication, as HTTP libraries do. */
export const send = async ({ method, url, headers, form, isChunked }: ProgramRequest): Promise<ProgramResponse> => {
  const { username, password, hostname, port, pathname, search } = new URL(url)
  const body = form ? bodyOf(form) : Buffer.alloc(0)
  const length = form && !isChunked ? { 'Content-Length': `${body.length}` } : {}
  const basic = Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')
  const all = { ...headers, ...length, ...(password ? { Authorization: `Basic ${basic}` } : {}) }
  return new Promise((resolve, reject) => {
    const request = httpRequest({ method, hostname, port, path: `${pathname}${search}`, headers: all }, (response) =>
      text(decompressed(response)).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject),
    )
    request.on('error', reject)
    if (isChunked) request.write(body)
    request.end(isChunked ? undefined : body)
  })
}

/** Programs decompress what they say that they accept. */
const decompressed = (response: IncomingMessage) => {
  const encoding = response.headers['content-encoding']
  if (encoding === 'gzip') return response.pipe(createGunzip())
  return encoding === 'br' ? response.pipe(createBrotliDecompress()) : response
}
