import { engineOf } from '../../../worker/engine/engine.ts'
import type { EngineCall } from '../../doubles/docker/engine-call.ts'

/** A Worker with the engine objects of the product. It makes a call to an engine for each request. */
export { EngineObject } from '../../../worker/index.ts'

export default {
  fetch: async (request, env) => {
    const { engine, call, args } = await request.json<EngineCall>()
    const method = engineOf(env.ENGINES, engine)[call] as (...given: unknown[]) => Promise<unknown>
    return Response.json((await method(...args)) ?? null)
  },
} satisfies ExportedHandler<Env>
