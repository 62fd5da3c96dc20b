import { z } from '@hono/zod-openapi'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { refusal } from '../../../domain/codes/refusals.ts'
import type { Terms } from '../../../domain/terms.ts'
import { publicUrlOf, termsOf } from '../../env.ts'
import { apiKey, type Guard, jsonBody, notFromPages } from '../guards.ts'
import { account, type HttpEnv, identity, publicUrl } from '../request-context.ts'
import { handleAnswer, refuse } from '../respond.ts'
import { type Router, routerFor } from '../router.ts'
import { refusedWith } from '../schemas.ts'
import { rpcErrorBody } from './rpc-error.ts'
import { serverFor, tools } from './server.ts'
import { apiOf } from './tool.ts'

/** Browsers send the origin of the page. Programs send none. */
const ownOrigin: Guard = {
  middleware: [
    async (c, next) => {
      const origin = c.req.header('origin')
      if (origin !== undefined && !isOurs(c, origin)) return refuse(c, refusal('ORIGIN_FORBIDDEN'))
      await next()
    },
  ],
  statuses: [403],
  descriptions: { 403: 'The Origin header names another web site.' },
}

/** Without PUBLIC_URL, the Host header says where the request was sent, and a page may have had it led here. */
const isOurs = (c: Context<HttpEnv>, origin: string): boolean => {
  const { origin: own, hostname } = new URL(publicUrl(c))
  const isCertain = publicUrlOf(c.env) !== '' || loopbackNames.has(hostname)
  return isCertain && origin === own
}
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The protocol's own schema is the SDK's, so this one only documents. */
const message = {
  type: 'object' as const,
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { type: 'string' as const, enum: ['2.0'] },
    id: { anyOf: [{ type: 'string' as const }, { type: 'integer' as const }] },
    method: { type: 'string' as const, example: 'tools/list' },
    params: { type: 'object' as const },
  },
}
/** `data` of what the guards refuse has the code, as in the other refusals. */
const RpcRefusal = z
  .object({
    jsonrpc: z.enum(['2.0']),
    id: z.union([z.string(), z.number()]).nullable(),
    error: z.object({
      code: z.number().int(),
      message: z.string(),
      data: z.object({ code: z.string(), requestId: z.string() }).loose().optional(),
    }),
  })
  .openapi('RpcRefusal')
const rpcResponse = { schema: { type: 'object' as const } }

/**
 * The Model Context Protocol over streamable HTTP without sessions: each POST is answered by a server of its own, in the
 * versions with and without the `initialize` handshake.
 */
export const mcpRoutes = (app: Router): Router => {
  const router = routerFor('MCP')
  router.add('POST /mcp', {
    operationId: 'callMcp',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'For agents and editors: add this URL to them as a server with streamable HTTP, and the API key as bearer token. A tool call counts as the requests that it makes, every other message as one request.',
    refusedAs: refusedWith(RpcRefusal),
    guards: [ownOrigin, notFromPages(apiKey('general', 'any')), jsonBody],
    request: { body: { required: true, content: { 'application/json': { schema: message } } } },
    responses: {
      200: {
        description: 'The response, or a stream of notifications and the response.',
        content: { 'application/json': rpcResponse, 'text/event-stream': { schema: { type: 'string' } } },
      },
      202: { description: 'The message was a notification.' },
      404: { description: 'The method is unknown.', content: { 'application/json': rpcResponse } },
      406: { description: 'Accept lacks a content type.', content: { 'application/json': rpcResponse } },
    },
    handle: async (c) => {
      const body: unknown = await c.req.json()
      c.set('rpcId', idOf(body))
      const terms = termsOf(c.env)
      // What a tool requests is counted, so its call is not.
      if (isToolCall(body)) {
        return handleAnswer(c, await account(c).checkKey(identity(c)), () => answer(app, c, body, terms))
      }
      const checked = await account(c).authenticate(identity(c))
      const { prices = terms.prices } = checked
      return handleAnswer(c, checked, () => answer(app, c, body, { ...terms, prices }))
    },
  })
  return router
}

const toolNames = new Set(tools.map(({ name }) => name))

const isToolCall = (body: unknown): boolean => {
  const { id, method, params } = (body ?? {}) as { id?: unknown; method?: unknown; params?: { name?: unknown } }
  return id !== undefined && method === 'tools/call' && toolNames.has(params?.name as string)
}

const idOf = (body: unknown): string | number | undefined => {
  const { id } = (body ?? {}) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

const INVALID_REQUEST = -32_600

const answer = async (app: Router, c: Context<HttpEnv>, body: unknown, terms: Terms): Promise<Response> => {
  // One message could otherwise start hundreds of calls. The current version of the protocol has no batches.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return c.json(rpcErrorBody({ id: null, code: INVALID_REQUEST, message: 'Send one message.' }), 400)
  }
  const handler = createMcpHandler(() => serverFor(c, apiOf(app, c), terms), {
    // Tools never change, so there is nothing to listen to.
    maxSubscriptions: 0,
    onerror: (cause) => console.warn(c.var.requestId, 'mcp', `${cause}`),
  })
  return handler.fetch(c.req.raw, { parsedBody: body })
}
