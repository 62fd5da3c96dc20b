import { z } from '@hono/zod-openapi'
import { FULL_KEY, MAX_KEYS, MAX_ORIGINS, type Scope, scopes } from '../../../domain/account/keys.ts'
import { isoTime, isoTimeOrNull } from '../../../domain/jobs/job-status.ts'
import { fromDollars, toDollars } from '../../../domain/money/money.ts'
import { dollarsUpTo, notEmpty } from '../../../domain/schemas.ts'
import { keyStart } from '../../../domain/secrets/api-keys.ts'
import type { ShownKey } from '../../account/keys/manage-keys.ts'
import { apiKey, jsonBody, notFromPages } from '../guards.ts'
import { account, identity } from '../request-context.ts'
import { handleAnswer, respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { json, KeyId, Name, named, ok, refusals, Timestamp } from '../schemas.ts'
import { newKeyFor } from './admin-accounts.ts'

/** A scheme, a host and perhaps a port: no path, and nothing in upper case, as browsers send it. */
const WEB_ORIGIN =
  /^(?:https:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?$/

/** Browsers leave out the usual port. */
const Origin = z
  .string()
  .max(255)
  .regex(WEB_ORIGIN, 'must be an origin like https://app.example, with http only for this machine')
  .transform((text) => URL.parse(text)?.origin ?? text)
  .openapi({ example: 'https://app.example' })

const Scopes = z
  .array(z.enum(scopes))
  .min(1)
  .transform((given): Scope[] => scopes.filter((scope) => given.includes(scope)))
  .describe(
    '`read`: all jobs, batches, uploads and events of the account, its balance and its ledger. `import`: start imports. `transcribe`: start transcriptions and uploads. `manage`: storage, provider keys and webhooks, and removing what has ended. `import` and `transcribe` also read and cancel what the key itself has started.',
  )

const Budget = dollarsUpTo(10_000_000).describe(
  'What jobs of the key may cost in a month of UTC: charges and open holds. null: as much as there is.',
)

const Future = z.iso.datetime({ offset: true }).refine((text) => Date.parse(text) > Date.now(), 'must be in the future')
const Expiry = Future.openapi({ format: 'date-time', description: 'From then on, the key is refused. null: never.' })

const Origins = z
  .array(Origin)
  .max(MAX_ORIGINS)
  .transform((given) => [...new Set(given)])
  .describe('The web pages from which the key may be used. Without any, it cannot be used from pages of other origins.')

const fields = z.strictObject({
  name: Name,
  scopes: Scopes,
  dollarsPerMonth: Budget.nullable(),
  expiresAt: Expiry.nullable(),
  allowedOrigins: Origins,
})

const NewKey = fields.extend({
  scopes: Scopes.default([...scopes]),
  dollarsPerMonth: fields.shape.dollarsPerMonth.default(null),
  expiresAt: fields.shape.expiresAt.default(null),
  allowedOrigins: Origins.default([]),
})

const KeyChanges = notEmpty(fields.partial()).openapi({ example: { dollarsPerMonth: 5 } })

const Key = named('Key', {
  keyId: KeyId,
  name: z.string().nullable().describe('null: an operator has made the key.'),
  prefix: z.string().describe('How the key begins.'),
  scopes: z.array(z.enum(scopes)),
  dollarsPerMonth: z.number().nullable(),
  spentThisMonthDollars: z.number().describe('What its jobs were charged in this month of UTC.'),
  heldDollars: z.number().openapi({ example: 0.15 }).describe('What is held for its jobs that have not ended.'),
  expiresAt: Timestamp.nullable(),
  allowedOrigins: z.array(z.string()),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe('The time of its last request, or up to an hour before it.'),
})

const TheKey = z.string().describe('The key itself, which is returned only once.')
const MadeKey = Key.extend({ apiKey: TheKey }).openapi('MadeKey')

export const keyRoutes = routerFor('Keys')
const fullKey = notFromPages(apiKey('general', FULL_KEY))

keyRoutes.add('POST /keys', {
  operationId: 'createKey',
  summary: 'Make an API key',
  description: `An account can have ${MAX_KEYS} keys. With only \`read\`, or only \`transcribe\`, and \`allowedOrigins\` and a budget, a key can be part of a page.`,
  guards: [fullKey, jsonBody],
  request: { body: json(NewKey) },
  responses: { 201: ok(MadeKey, 'The key is made.'), ...refusals(403, 409) },
  handle: async (c) => {
    const { name, scopes, allowedOrigins: origins, dollarsPerMonth, expiresAt } = c.req.valid('json')
    const { accountId } = c.get('caller')
    const { id, hash, prefix, apiKey } = await newKeyFor(c, accountId)
    const answer = await account(c).createKey(identity(c), {
      id,
      hash,
      prefix,
      name,
      scopes,
      origins,
      monthlyBudget: microsOf(dollarsPerMonth),
      expiresAt: timeOf(expiresAt),
    })
    return respondWith(c, answer, (key) => ({ ...keyView(accountId, key), apiKey }), 201)
  },
})

keyRoutes.add('GET /keys', {
  operationId: 'listKeys',
  summary: 'List the API keys of the account',
  guards: [fullKey],
  responses: { 200: ok(z.object({ keys: z.array(Key) })) },
  handle: (c) => {
    const { accountId } = c.get('caller')
    const answer = account(c).keys(identity(c))
    return respondWith(c, answer, (keys) => ({ keys: keys.map((key) => keyView(accountId, key)) }))
  },
})

keyRoutes.add('PATCH /keys/{id}', {
  operationId: 'updateKey',
  summary: 'Change an API key',
  description:
    'Fields that are not in the body stay as they are. The change takes effect with the next request of the key.',
  guards: [fullKey, jsonBody],
  request: { body: json(KeyChanges) },
  responses: { 200: ok(Key), ...refusals(403, 404, 409) },
  handle: async (c) => {
    const { name, scopes, dollarsPerMonth, expiresAt, allowedOrigins } = c.req.valid('json')
    const answer = await account(c).changeKey(identity(c), c.req.param('id'), {
      name,
      scopes,
      origins: allowedOrigins,
      monthlyBudget: microsOf(dollarsPerMonth),
      expiresAt: timeOf(expiresAt),
    })
    return respondWith(c, answer, (key) => keyView(c.get('caller').accountId, key))
  },
})

keyRoutes.add('DELETE /keys/{id}', {
  operationId: 'removeKey',
  summary: 'Remove an API key',
  description: 'The key is refused from its next request on. Jobs that it has started go on under its budget.',
  guards: [fullKey],
  responses: { 204: { description: 'The key is removed.' }, ...refusals(404, 409) },
  handle: (c) => handleAnswer(c, account(c).removeKey(identity(c), c.req.param('id')), () => c.body(null, 204)),
})

const microsOf = <Absent>(given: number | Absent) => (typeof given === 'number' ? fromDollars(given) : given)
const timeOf = <Absent>(given: string | Absent) => (typeof given === 'string' ? Date.parse(given) : given)

const keyView = (accountId: string, { prefix, ...key }: ShownKey) => ({
  keyId: key.id,
  name: key.name,
  prefix: prefix ?? keyStart(accountId),
  scopes: key.scopes,
  dollarsPerMonth: key.monthlyBudget === null ? null : toDollars(key.monthlyBudget),
  spentThisMonthDollars: toDollars(key.spentThisMonth),
  heldDollars: toDollars(key.held),
  expiresAt: isoTimeOrNull(key.expiresAt),
  allowedOrigins: key.origins,
  createdAt: isoTime(key.createdAt),
  lastUsedAt: isoTimeOrNull(key.lastUsedAt),
})
