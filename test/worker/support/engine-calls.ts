import { engineOf } from '../../../worker/engine/client.ts'
import { createApp } from '../../../worker/http/app.ts'
import type { EngineCall } from '../../doubles/docker/engine-call.ts'

const app = createApp()

/** A Worker with the engine objects of the product. It makes a call to an engine for each request that is not for operators. */
export { EngineObject } from '../../../worker/index.ts'

export default {
  fetch: async (request, env, ctx) => {
    if (new URL(request.url).pathname.startsWith('/admin/')) return app.fetch(request, env, ctx)
    const { engine, call, args } = await request.json<EngineCall>()
    const method = engineOf(env.ENGINES, engine)[call] as (...given: unknown[]) => Promise<unknown>
    return Response.json((await method(...args)) ?? null)
  },
} satisfies ExportedHandler<Env>
