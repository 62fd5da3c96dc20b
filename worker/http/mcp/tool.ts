import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Terms } from '../../../domain/account/terms.ts'
import { accepted, type Facts, type RefusalCode, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { HttpEnv } from '../request-context.ts'
import type { Router } from '../router.ts'
import type { Answer } from './answer.ts'

export interface ToolCall {
  c: Context<HttpEnv>
  /** Calls Haul's own API as the caller. */
  api: CallApi
  startedAt: number
  /** When it stops waiting for a job. */
  deadline: number
  /** The client has given up. */
  signal: AbortSignal
  /** Shown to the user while the call waits, if the client asked for it. */
  report: (message: string) => Promise<void>
}

export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  title: string
  /** A function if it names prices or the retention, which are those of the account. */
  description: string | ((terms: Terms) => string)
  annotations: ToolAnnotations
  input: Input
  output: z.ZodObject
  run: (args: z.output<Input>, call: ToolCall) => Promise<Answer>
}

export const tool = <Input extends z.ZodType>(definition: Tool<Input>): Tool => definition as unknown as Tool

export type CallApi = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  given?: { body?: object; idempotencyKey?: string | null },
  // biome-ignore lint/suspicious/noExplicitAny: the fields are those of the route's schema.
) => Promise<Result<any>>

/** Calls the API in this process with the caller's key: validated, counted, refused and billed like a request from outside. */
export const apiOf =
  (app: Router, c: Context<HttpEnv>): CallApi =>
  async (method, path, { body, idempotencyKey = null } = {}) => {
    const headers = new Headers({ authorization: c.req.header('authorization') ?? '' })
    if (body) headers.set('content-type', 'application/json')
    if (idempotencyKey !== null) headers.set('idempotency-key', idempotencyKey)
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await app.fetch(new Request(new URL(path, c.req.url), init), c.env, c.executionCtx)
    if (response.status === 204) return accepted(null)
    const { success, data, error, code, requestId: _, ...facts } = await response.json<ResponseBody>()
    return success ? accepted(data) : refused(code, facts as Facts, error)
  }

type ResponseBody = { success: boolean; data: unknown; error: string; code: RefusalCode } & Record<string, unknown>
