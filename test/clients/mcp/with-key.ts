import { createServer, request as send } from 'node:http'
import { type Loopback, listenOnLoopback } from '../../support/loopback.ts'

/** A server in front of Haul that adds a key, for programs without a setting for one. Its own address becomes Haul's. */
export const startWithKey = async (haulUrl: string, apiKey: string): Promise<Loopback> => {
  const server = createServer((request, response) => {
    const own = request.headers.host === here.host ? { host: new URL(haulUrl).host } : {}
    const origin = request.headers.origin === here.url ? { origin: haulUrl } : {}
    const headers = { ...request.headers, ...own, ...origin, authorization: `Bearer ${apiKey}` }
    const upstream = send(`${haulUrl}${request.url}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    upstream.once('error', () => response.destroy())
    request.pipe(upstream)
  })
  const here = await listenOnLoopback(server)
  return here
}
