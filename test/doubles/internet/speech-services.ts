import { type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { startAssemblyAI } from '../providers/assemblyai.ts'
import { startDeepgram } from '../providers/deepgram.ts'
import type { FakeProvider, FakeResponse, SeenRequest } from '../providers/fake-provider.ts'
import { openaiErrors, startOpenAI } from '../providers/openai.ts'
import { type AudioInput, type Sentence, speechOf } from '../providers/speech.ts'

/**
 * Fakes of the speech providers under their real host names. The text of a piece follows from the mark in its bytes.
 * `https://services.example/<host>/next` scripts a response, `/requests` lists the received requests.
 */
export const SILENT_MARK = 255

const speech = ({ bytes }: AudioInput): Sentence[] =>
  bytes[100] === SILENT_MARK ? [] : speechOf(`This is piece number ${bytes[100]}.`)

const services: Record<string, () => Promise<FakeProvider>> = {
  'api.openai.com': () => startOpenAI({ apiKey: 'sk-proj-the-right-key-0001', speech }),
  'api.deepgram.com': () => startDeepgram({ apiKey: 'the-right-key-of-deepgram-2', speech }),
  'api.assemblyai.com': () => startAssemblyAI({ apiKey: 'the-right-key-of-assembly-3', speech }),
}

interface Visit {
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

const forward = (service: FakeProvider, { url, request, response }: Visit): void => {
  const { origin } = new URL(service.url)
  const { host: _, ...headers } = request.headers
  const forwarded = send(
    `${origin}${url.pathname}${url.search}`,
    { method: request.method, headers, agent: false },
    (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(response)
    },
  )
  forwarded.on('error', () => response.destroy())
  request.pipe(forwarded)
}

const control = async (service: FakeProvider, { url, request, response }: Visit): Promise<void> => {
  const [, , what] = url.pathname.split('/')
  if (what === 'next') {
    service.next(scripted(JSON.parse(Buffer.concat(await request.toArray()).toString())))
  }
  const body = what === 'requests' ? service.requests.map(summaryOf) : []
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

type OpenAIError = Exclude<keyof typeof openaiErrors, 'keyRejected' | 'noSuchModel'>

/** A complete response, or the name of one of OpenAI's error responses. */
const scripted = (script: FakeResponse | { openai: OpenAIError; given?: number }): FakeResponse => {
  if ('status' in script) return script
  const response = openaiErrors[script.openai]
  return typeof response === 'function' ? response(script.given ?? 0) : response
}

const summaryOf = ({ method, path, headers, query }: SeenRequest) => ({
  method,
  path,
  authorization: headers.authorization,
  query: Object.fromEntries(query),
})

export const createSpeechServices = (): Record<string, (visit: Visit) => Promise<void>> => {
  const running = new Map<string, Promise<FakeProvider>>()
  const serviceAt = (host: string): Promise<FakeProvider> => {
    const service = running.get(host) ?? services[host]?.()
    if (!service) throw new Error(`unknown provider ${host}`)
    running.set(host, service)
    return service
  }
  const forwardTo = async (visit: Visit) => forward(await serviceAt(visit.url.hostname), visit)
  return {
    ...Object.fromEntries(Object.keys(services).map((host) => [host, forwardTo])),
    'services.example': async (visit) => control(await serviceAt(visit.url.pathname.split('/')[1] ?? ''), visit),
  }
}
