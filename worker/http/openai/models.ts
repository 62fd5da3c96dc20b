import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { modelNamed } from '../../../domain/openai-models.ts'
import { configOf } from '../../env.ts'
import { apiKey } from '../guards.ts'
import type { HttpEnv } from '../request-context.ts'
import { respondOpenaiError, whenAuthenticated } from '../respond.ts'
import { routerFor } from '../router.ts'
import { named } from '../schemas.ts'
import { openaiErrors } from './documented.ts'
import { listedModels, modelsThatExist } from './transcription-form.ts'

export const modelRoutes = routerFor('OpenAI API')

/** The day of the first release that has them, because the API requires a time. */
const CREATED = Date.UTC(2026, 10, 22) / 1_000

const modelObject = (id: string) => ({ id, object: 'model' as const, created: CREATED, owned_by: 'haul' })

const Model = named('OpenaiModel', {
  id: z.string().openapi({ example: 'haul-auto' }),
  object: z.literal('model'),
  created: z.number().int().openapi({ description: 'In Unix seconds.', example: CREATED }),
  owned_by: z.string().openapi({ example: 'haul' }),
})

const modelResponse = <T extends z.ZodType>(schema: T) => ({
  description: 'Success.',
  content: { 'application/json': { schema } },
})

modelRoutes.add('GET /v1/models', {
  operationId: 'listModels',
  summary: 'List the models of the OpenAI API',
  guards: [apiKey('general', 'transcribe')],
  responses: { 200: modelResponse(z.object({ object: z.literal('list'), data: z.array(Model) })) },
  refusedAs: openaiErrors,
  handle: (c) => {
    const data = listedModels(configOf(c.env).openaiModels).map(modelObject)
    return whenAuthenticated(c, () => c.json({ object: 'list', data }))
  },
})

modelRoutes.add('GET /v1/models/{model}', {
  operationId: 'getModel',
  summary: 'Retrieve a model of the OpenAI API',
  guards: [apiKey('general', 'transcribe')],
  request: { params: z.object({ model: z.string() }) },
  responses: { 200: modelResponse(Model), ...openaiErrors(404) },
  refusedAs: openaiErrors,
  handle: (c) => {
    const { model } = c.req.valid('param')
    const exists = modelNamed(model, configOf(c.env).openaiModels) !== null
    return exists ? whenAuthenticated(c, () => c.json(modelObject(model))) : unknownModel(c, model)
  },
})

/** The code is OpenAI's, because programs look for it. */
export const unknownModel = (c: Context<HttpEnv>, model: string): Promise<Response> =>
  whenAuthenticated(c, () =>
    respondOpenaiError(c, {
      status: 404,
      code: 'model_not_found',
      message: `The model ${JSON.stringify(model.slice(0, 100))} does not exist. ${modelsThatExist(configOf(c.env).openaiModels)}`,
      param: 'model',
    }),
  )
