import { OpenAPIHono, type RouteConfig, type RouteHandler } from '@hono/zod-openapi'
import type { Guard } from './guards.ts'
import type { HttpEnv } from './request-context.ts'
import { refuseCounted } from './respond.ts'
import { refusalOf, refusals } from './schemas.ts'
import { StaticPathRouter } from './static-path-router.ts'
import { invalidRequest } from './validation-messages.ts'

/** Invalid input is refused in the same envelope as everything else, and counts against the rate limit. */
export const createRouter = () =>
  new OpenAPIHono<HttpEnv>({
    router: new StaticPathRouter(),
    defaultHook: async (result, c) => (result.success ? undefined : refuseCounted(c, invalidRequest(result.error))),
  })

export type Router = ReturnType<typeof createRouter>
/** Generated clients name their methods by `operationId`. */
type Declaration = RouteConfig & {
  operationId: string
  guards?: Guard[]
  /** The refusals of guards, if they have another body than usual. */
  refusedAs?: typeof refusals
}
type Handle<R extends Declaration> = (c: Parameters<RouteHandler<R, HttpEnv>>[0]) => Response | Promise<Response>

/**
 * Adds a route. The guards of its declaration become middleware as well as the security, headers and refusals of the
 * OpenAPI document, so that both always agree; `responses` lists only what the handler itself responds with.
 *
 * The library requires handlers to return responses typed by status. Handlers here return what respond.ts builds, so
 * the type is cast in this one place.
 */
export const route = <R extends Declaration>(router: Router, declaration: R, handle: Handle<R>): void => {
  const { guards = [], refusedAs = refusals, request, responses, ...operation }: Declaration = declaration
  const security = guards.flatMap(({ security }) => (security ? [{ [security]: [] }] : []))
  const headers = guards.find(({ headers }) => headers)?.headers
  const config: RouteConfig = {
    ...operation,
    ...(security.length > 0 ? { security } : {}),
    request: { ...request, ...(headers ? { headers } : {}) },
    responses: { ...responses, ...refusedAs(...guards.flatMap(({ statuses }) => statuses)), ...described(guards) },
    middleware: guards.flatMap(({ middleware }) => middleware),
  }
  router.openapi(config, handle as never)
}

const described = (guards: Guard[]) => {
  const texts = guards.flatMap(({ descriptions = {} }) => Object.entries(descriptions))
  return Object.fromEntries(texts.map(([status, text]) => [status, refusalOf(text)]))
}
