import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { startAssemblyAI } from '../providers/assemblyai.ts'
import { startDeepgram } from '../providers/deepgram.ts'
import type { FakeProvider, HttpAnswer, SeenRequest } from '../providers/http.ts'
import { openaiSays, startOpenAI } from '../providers/openai.ts'
import { type HeardAudio, type Sentence, saying } from '../providers/speech.ts'

/**
 * The speech services of the small internet, under their own names. What a piece says follows from the mark
 * in its bytes. `https://services.example/<host>/next` scripts an answer, `/requests` tells what was heard.
 */
export const SILENT_MARK = 255

const speech = ({ bytes }: HeardAudio): Sentence[] =>
  bytes[100] === SILENT_MARK ? [] : saying(`This is piece number ${bytes[100]}.`)

const services: Record<string, () => Promise<FakeProvider>> = {
  'api.openai.com': () => startOpenAI({ apiKey: 'sk-proj-the-right-key-0001', speech }),
  'api.deepgram.com': () => startDeepgram({ apiKey: 'the-right-key-of-deepgram-2', speech }),
  'api.assemblyai.com': () => startAssemblyAI({ apiKey: 'the-right-key-of-assembly-3', speech }),
}

const running = new Map<string, Promise<FakeProvider>>()

const serviceAt = (host: string): Promise<FakeProvider> => {
  const known = running.get(host) ?? services[host]?.()
  if (!known) throw new Error(`there is no service ${host}`)
  running.set(host, known)
  return known
}

interface Visit {
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

const passOn = async ({ url, request, response }: Visit): Promise<void> => {
  const { origin } = new URL((await serviceAt(url.hostname)).url)
  const { host: _, ...headers } = request.headers
  const asked = ask(
    `${origin}${url.pathname}${url.search}`,
    { method: request.method, headers, agent: false },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  asked.on('error', () => response.destroy())
  request.pipe(asked)
}

const control = async ({ url, request, response }: Visit): Promise<void> => {
  const [, host = '', what] = url.pathname.split('/')
  const service = await serviceAt(host)
  if (what === 'next') {
    service.next(scripted(JSON.parse(Buffer.concat(await request.toArray()).toString())))
  }
  const seen = what === 'requests' ? service.requests.map(facts) : []
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(seen))
}

type Complaint = Exclude<keyof typeof openaiSays, 'keyRejected' | 'noSuchModel'>

/** An answer as it stands, or by its name one of those that OpenAI is known for. */
const scripted = (answer: HttpAnswer | { openai: Complaint; given?: number }): HttpAnswer => {
  if ('status' in answer) return answer
  const said = openaiSays[answer.openai]
  return typeof said === 'function' ? said(answer.given ?? 0) : said
}

const facts = ({ method, path, headers, query }: SeenRequest) => ({
  method,
  path,
  authorization: headers.authorization,
  query: Object.fromEntries(query),
})

export const speechServices: Record<string, (visit: Visit) => Promise<void>> = {
  'api.openai.com': passOn,
  'api.deepgram.com': passOn,
  'api.assemblyai.com': passOn,
  'services.example': control,
}
