import type { Access } from './access.ts'

const TIMEOUT_MS = 300_000

/**
 * One transcription by the built-in engine, as a client of OpenAI's API asks for it. Whatever compresses a response that
 * waits keeps the bytes that say so, and its `no-transform` asks for none.
 */
export const transcribeSmallFile = async ({ baseUrl, apiKey, haul }: Access, sourceUrl: string): Promise<string> => {
  const body = new FormData()
  body.set('url', sourceUrl)
  body.set('model', 'haul-builtin')
  // Short responses are never compressed.
  body.set('response_format', 'verbose_json')
  const headers = { authorization: `Bearer ${apiKey}`, 'accept-encoding': 'gzip, deflate, br' }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(`${baseUrl}/v1/audio/transcriptions`, { method: 'POST', headers, body, signal })
  const text = await response.text()
  const answer: { text?: string; error?: { message: string } } = JSON.parse(text || '{}')
  if (!response.ok || !answer.text)
    throw new Error(`The transcription failed with ${response.status}: ${answer.error?.message ?? text.slice(0, 500)}`)
  await haul.jobs.remove(response.headers.get('x-haul-job-id') ?? '')
  const encoding = response.headers.get('content-encoding') ?? 'identity'
  if (encoding === 'identity') return `"${answer.text}", sent as it is`
  throw new Error(
    `POST /v1/audio/transcriptions is sent as ${encoding} although it has no-transform: callers that accept it get no byte until their transcript is there, and many give up. Turn off compression for the host (a Compression Rule), and tell the maintainers.`,
  )
}
