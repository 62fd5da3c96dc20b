import { OpenAPIHono, type RouteConfig, type RouteHandler, type z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Pass } from '../domain/calls.ts'
import { refusal } from '../domain/codes/refusals.ts'
import type { Api } from './context.ts'
import { refuse } from './respond.ts'
import './wording.ts'

/** A router whose bad input is answered like every other refusal, and counts like every other request. */
export const api = () =>
  new OpenAPIHono<Api>({
    defaultHook: async (result, c) => {
      if (result.success) return
      const details = result.error.issues.flatMap(detailsOf)
      return refuseCounted(c, refusal('INVALID_REQUEST', { details }, sentence(details)))
    },
  })

type Handle<R extends RouteConfig> = (c: Parameters<RouteHandler<R, Api>>[0]) => Response | Promise<Response>

/**
 * Adds a route. The library would have each handler spell out the type of every answer; ours all leave
 * through respond.ts, so that type is given up here, once.
 */
export const route = <R extends RouteConfig>(app: OpenAPIHono<Api>, definition: R, handle: Handle<R>): void => {
  app.openapi(definition, handle as never)
}

/** A field that nobody knows is named like one that is wrong. */
const detailsOf = (issue: z.core.$ZodIssue): { path: string; message: string }[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'is not a known field' }))
    : [{ path: issue.path.join('.'), message: issue.message }]

const sentence = ([first]: { path: string; message: string }[]): string =>
  first
    ? `The request is not valid: ${first.path === '' ? '' : `${first.path}: `}${first.message}`
    : 'The request is not valid.'

/** A request that is refused for its content consumes, and a key that is not live hears of that first. */
export const refuseCounted = async (c: Context<Api>, because: ReturnType<typeof refusal>): Promise<Response> => {
  if (c.var.caller) {
    const { rate, result } = await account(c).enter(pass(c))
    c.set('rate', rate)
    if (!result.ok) return refuse(c, result.refusal)
  }
  return refuse(c, because)
}

/** The caller's account object. */
export const account = (c: Context<Api>) => c.env.ACCOUNTS.getByName(c.var.caller.accountId)

export const pass = (c: Context<Api>): Pass => ({
  keyHash: c.var.caller.keyHash,
  rateClass: c.var.rateClass,
  endpoint: c.req.path,
})
