import { OpenAPIHono, type RouteConfig, type RouteHandler, z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { FULL_KEY } from '../../domain/account/keys.ts'
import { answerPreflight } from './cors.ts'
import type { Guard } from './guards.ts'
import type { HttpEnv } from './request-context.ts'
import { refuseCounted } from './respond.ts'
import { refusals } from './schemas.ts'
import { invalidRequest } from './validation-messages.ts'

/** The groups of endpoints, in the order of the documentation. Generated clients make a class or a file of each. */
export const tags = {
  Imports: 'Download the media of a URL into storage, or into your own bucket.',
  Transcriptions: 'Turn a URL, an import or an upload into a transcript.',
  'OpenAI API': 'The transcription API of OpenAI, for programs that know it.',
  'Whisper ASR API': 'The API of whisper-asr-webservice, for programs that know it.',
  Search: 'Find what was said, in all transcripts and captions of the account.',
  Batches: 'Import or transcribe many URLs, or every entry of a playlist.',
  Watches: 'Follow a feed, a channel or a playlist, and take what is new.',
  Uploads: 'Send files of your own in parts, to transcribe them.',
  'Transcription providers': 'Keys for third-party speech recognition.',
  Metadata: 'Look at a source before importing it.',
  Jobs: 'Find, follow, cancel and remove jobs of both types.',
  Events: 'Everything that happens in the account, as a stream.',
  Account: 'Balance, prices, limits and the ledger.',
  Keys: 'API keys with scopes, budgets and origins.',
  Webhooks: 'The secret that signs webhooks, and their deliveries.',
  'Webhook events': 'What is sent to a `webhookUrl`.',
  Storage: 'Your own S3 bucket, for imports with `store`.',
  Operators: 'Accounts, engines and metrics, for the operators of this deployment.',
  Media: 'The files that links in results point to.',
  MCP: 'The Model Context Protocol, for agents and editors.',
  Service: 'Whether the service responds.',
} as const

export type Tag = keyof typeof tags

/** Invalid input is refused in the same envelope as everything else, and counts against the rate limit. */
export const createRouter = () =>
  new OpenAPIHono<HttpEnv>({
    // Hono's default first tries a faster router, which rejects a static path beside a parameter, and then uses this one.
    router: new TrieRouter(),
    defaultHook: async (result, c) => (result.success ? undefined : refuseCounted(c, invalidRequest(result.error))),
  })

export type Router = ReturnType<typeof createRouter>
type Line = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
type Request = NonNullable<RouteConfig['request']>
type Route<L extends Line, R extends Request> = Omit<RouteConfig, 'request' | 'path'> & {
  path: L extends `${string} ${infer Path}` ? Path : never
  request: R
}

interface Declaration<L extends Line, R extends Request>
  extends Pick<RouteConfig, 'summary' | 'description' | 'responses'> {
  /** Generated clients name their methods by it. */
  operationId: string
  guards?: Guard[]
  /** Without the parameters of the path. */
  request?: R
  /** For refusals of guards whose body is not the usual one. */
  refusedAs?: typeof refusals
  handle: (c: Parameters<RouteHandler<Route<L, R>, HttpEnv>>[0]) => Response | Promise<Response>
}

/**
 * The guards of a route become its middleware, and also its security, headers and refusals in the document, so that both
 * always agree. `responses` lists only what `handle` itself responds with.
 */
export const routerFor = (tag: Tag) => {
  const router = createRouter()
  const add = <L extends Line, R extends Request = object>(line: L, declaration: Declaration<L, R>): void => {
    const [method = '', path = ''] = line.split(' ')
    const { guards = [], refusedAs = refusals, request, responses, handle, operationId, ...operation } = declaration
    const fromPages = guards.some((guard) => guard.fromPages)
    const noteFromPages: MiddlewareHandler<HttpEnv> = (c, next) => {
      c.set('fromPages', fromPages)
      return next()
    }
    const headers = guards.find(({ headers }) => headers)?.headers
    const description = [operation.description, ...guards.map(neededKey)].filter(Boolean).join(' ')
    const config: RouteConfig = {
      method: method.toLowerCase() as 'get',
      path,
      operationId,
      tags: [tag],
      ...operation,
      ...(description && { description }),
      // An empty list means that no key is required.
      security: guards.flatMap(({ security }) => (security ? [{ [security]: [] }] : [])),
      request: { ...paramsOf(path), ...request, ...(headers && { headers }) },
      responses: {
        ...responses,
        ...refusedAs(...guards.flatMap(({ statuses }) => statuses)),
        ...described(guards, refusedAs),
      },
      middleware: [noteFromPages, ...guards.flatMap(({ middleware }) => middleware)],
    }
    // The library requires responses typed by status. Handlers return what respond.ts builds, so the type is cast here.
    router.openapi(config, handle as never)
    if (fromPages) router.options(path.replace(/\{(\w+)\}/g, ':$1'), answerPreflight)
  }
  return Object.assign(router, { add })
}

/** Each parameter is any string: a malformed id is a 404, like an unknown one. */
const paramsOf = (path: string): Request => {
  const names = path.match(/(?<=\{)\w+/g)
  return names ? { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) } : {}
}

const neededKey = ({ needs = [] }: Guard): string => {
  if (needs.length === 0) return ''
  if (needs.includes(FULL_KEY)) return 'The key must be a full one, without any limit.'
  return `The key needs the scope ${needs.map((scope) => `\`${scope}\``).join(' or ')}.`
}

const described = (guards: Guard[], refusedAs: typeof refusals) =>
  Object.fromEntries(
    guards
      .flatMap(({ descriptions = {} }) => Object.entries(descriptions))
      .map(([status, description]) => [status, { ...refusedAs(+status)[status], description }]),
  )
