import { smallSource } from '../import.ts'
import type { FullCanary, Trial } from '../trial.ts'

/** Whatever compresses a response that waits keeps the bytes that say so. Its `no-transform` asks for none. */
export const compression: Trial = {
  title: 'canary: a response that may not be compressed',
  run: async (canary) => {
    const body = new FormData()
    body.set('url', smallSource(canary.baseUrl, canary.env))
    body.set('model', 'haul-builtin')
    // Short responses are never compressed.
    body.set('response_format', 'verbose_json')
    const { encoding, headers } = await send(canary, '/v1/audio/transcriptions', { method: 'POST', body })
    canary.cleanUps.push(() => canary.haul.jobs.remove(headers.get('x-haul-job-id') ?? ''))
    if (encoding !== 'identity')
      throw new Error(
        `POST /v1/audio/transcriptions is sent as ${encoding} although it has no-transform: callers that accept it get no byte until their transcript is there, and many give up. Turn off compression for the host (a Compression Rule), and tell the maintainers.`,
      )
    return `sent as it is; GET /openapi.json as ${(await send(canary, '/openapi.json')).encoding}`
  },
}

const send = async ({ baseUrl, apiKey }: FullCanary, path: string, init?: RequestInit) => {
  const authorization = `Bearer ${apiKey}`
  const response = await fetch(`${baseUrl}${path}`, {
    ...init,
    headers: { authorization, 'accept-encoding': 'gzip, deflate, br' },
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`)
  return { encoding: response.headers.get('content-encoding') ?? 'identity', headers: response.headers }
}
