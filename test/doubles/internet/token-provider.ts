import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../../support/loopback.ts'

/** A request for a token, as the provider has received it. */
export interface TokenAsked {
  content_binding?: unknown
  [field: string]: unknown
}

/** The token of the provider below for a binding. A token is base64 for URLs with its padding, which yt-dlp checks. */
export const tokenFor = (binding: string): string =>
  Buffer.from(`token of ${binding}`).toString('base64').replaceAll('+', '-').replaceAll('/', '_')

/**
 * The HTTP API of `bgutil-ytdlp-pot-provider`, versions 1 and 2: `GET /ping`, `POST /get_pot`, and what else its server
 * has, without BotGuard.
 */
export const startTokenProvider = async (version = '2.0.2') => {
  const requests: string[] = []
  const asked: TokenAsked[] = []
  const state: { answer: ((response: ServerResponse) => void) | null } = { answer: null }
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const body = await text(request)
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
    if (state.answer) return state.answer(response)
    if (request.url === '/ping') return json(200, { server_uptime: 12.3, version })
    if (request.url === '/minter_cache') return json(200, ['secret'])
    if (request.method !== 'POST')
      return response.writeHead(400).end('This server is not meant to be accessed directly')
    if (request.url !== '/get_pot') return response.writeHead(204).end()
    const wanted: TokenAsked = JSON.parse(body)
    asked.push(wanted)
    const { content_binding: contentBinding } = wanted
    if (typeof contentBinding !== 'string') return json(500, { error: 'no content binding' })
    const expiresAt = new Date('2026-11-27T00:00:00Z')
    return json(200, { poToken: tokenFor(contentBinding), contentBinding, expiresAt })
  })
  const { url, host, close } = await listenOnLoopback(server)
  return {
    url: new URL(url),
    host,
    requests,
    asked,
    /** Answers all further requests this way. null: as described. */
    answerWith: (answer: typeof state.answer) => {
      state.answer = answer
    },
    close,
  }
}
