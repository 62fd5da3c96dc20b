import { z } from '@hono/zod-openapi'
import type { OfferedModel } from '../../../domain/jobs/speech-models.ts'
import { toDollars } from '../../../domain/money/money.ts'
import { type Prices, withPriceOf } from '../../../domain/money/prices.ts'
import { termsOf } from '../../env.ts'
import { modelsOf } from '../../fleet/offered-models.ts'
import { apiKey } from '../guards.ts'
import { modelsUnknown } from '../jobs/options-problem.ts'
import { account, identity } from '../request-context.ts'
import { handleAnswer, refuse, respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { named, ok, refusals } from '../schemas.ts'

const ability = (about: string) => z.boolean().openapi({ example: true }).describe(about)

const Model = named('Model', {
  name: z.string().openapi({ example: 'whisper-base' }).describe('For `model` of a request.'),
  engine: z.enum(['builtin', 'workers-ai']).describe('What runs it: an engine of this deployment, or Workers AI.'),
  isDefault: ability('Whether requests without `model` use it.'),
  languages: z
    .union([z.literal('all'), z.array(z.string())])
    .openapi({ example: 'all' })
    .describe('Codes such as `en`, or `all`. Detected speech in another language is heard with the default model.'),
  words: ability('Whether it tells when each word is said.'),
  speakers: ability('Whether its transcripts can say who speaks.'),
  vocabulary: ability('Whether it uses `prompt` and `keywords`.'),
  translation: ability('Whether it translates into English.'),
  pricePerMinute: z.number().openapi({ example: 0.02 }).describe('In dollars, for your account.'),
  speed: z
    .number()
    .nullable()
    .openapi({ example: 8.5 })
    .describe('How many seconds of media it has recognized in a second here. null: it has recognized none yet.'),
})

export const modelRoutes = routerFor('Transcriptions')

modelRoutes.add('GET /models', {
  operationId: 'listSpeechModels',
  summary: 'List the models of the built-in speech recognition',
  description:
    'What a request may name as `model`, and what each can do. If no engine has said yet which models it has, one is started and asked, for up to 20 seconds.',
  guards: [apiKey('general', 'any')],
  responses: { 200: ok(z.object({ models: z.array(Model) })), ...refusals(503) },
  handle: async (c) => {
    const checked = await account(c).authenticate(identity(c))
    return handleAnswer(c, checked, async () => {
      const models = await modelsOf(c.env, c.var.caller.accountId)
      if (!models) return refuse(c, modelsUnknown)
      const { prices = termsOf(c.env).prices } = checked
      return respond(c, { models: models.map((model) => modelView(model, prices)) })
    })
  },
})

const modelView = ({ name, engine, isDefault, languages, speed, ...abilities }: OfferedModel, prices: Prices) => {
  const { words, speakers, vocabulary, translation } = abilities
  const pricePerMinute = toDollars(withPriceOf(prices, name).builtinPerMinute)
  return { name, engine, isDefault, languages, words, speakers, vocabulary, translation, pricePerMinute, speed }
}
