import { expect, test } from 'vitest'
import { asOperator, FILM, newCaller } from './caller.ts'

const caller = await newCaller()
const importing = (body: unknown) => () => caller.post('/import', body)
const transcribing = (fields: object) => () => caller.post('/transcribe', { url: FILM, ...fields })
const reading = (path: string) => () => caller.get(path)
const crediting = (body: object) => () => asOperator('POST', `/admin/accounts/${caller.accountId}/credits`, body)

const credit = { amountDollars: 1, reference: 'invoice 7' }
const key = { provider: 'provider_a', apiKey: 'k' }

test.each([
  ['no url', importing({}), 'url', 'is required'],
  ['a url that is a number', importing({ url: 7 }), 'url', 'must be a text'],
  ['an empty url', importing({ url: ' ' }), 'url', 'must not be empty'],
  ['a long url', importing({ url: `${FILM}${'x'.repeat(4_096)}` }), 'url', 'must have at most 4096 characters'],
  ['a boolean as text', importing({ url: FILM, store: 'no' }), 'store', 'must be true or false'],
  ['null', importing({ url: FILM, store: null }), 'store', 'must be true or false'],
  [
    'a value of no list',
    importing({ url: FILM, audioQuality: 'loud' }),
    'audioQuality',
    'must be one of lowest, low, medium, high, best',
  ],
  ['a body that is a list', importing([]), '', 'the body must be an object'],
  ['a rule of its own', importing({ url: 'ftp://x/' }), 'url', 'must be an http or https URL'],
  ['a typo', importing({ url: FILM, stoer: true }), 'stoer', 'is not a known field'],
  ['options that are a list', transcribing({ ...key, providerOptions: [] }), 'providerOptions', 'must be an object'],
  [
    'an option with a long name',
    transcribing({ ...key, providerOptions: { ['x'.repeat(201)]: 1 } }),
    `providerOptions.${'x'.repeat(201)}`,
    'has a name that must have at most 200 characters',
  ],
  [
    'a ceiling of nothing',
    transcribing({ provider: 'builtin', maxCostDollars: 0 }),
    'maxCostDollars',
    'must be more than 0',
  ],
  [
    'a ceiling of too much',
    transcribing({ provider: 'builtin', maxCostDollars: 1e6 }),
    'maxCostDollars',
    'must be at most 10000',
  ],
  ['no id in a query', reading('/import/status'), 'id', 'is required'],
  ['an empty id in a query', reading('/import/status?id='), 'id', 'must not be empty'],
  ['a wait in words', reading('/import/status?id=x&wait=soon'), 'wait', 'must be a number'],
  ['a limit of nothing', reading('/jobs?limit=0'), 'limit', 'must be at least 1'],
  ['a limit of half', reading('/jobs?limit=1.5'), 'limit', 'must be a whole number'],
  ['a limit of too much', reading('/jobs?limit=101'), 'limit', 'must be at most 100'],
  ['a type that is none', reading('/jobs?type=video'), 'type', 'must be one of import, transcription'],
  ['a cursor that came twice', reading('/jobs?cursor=x&cursor=y'), 'cursor', 'must be a text'],
  ['no url to look at', reading('/metadata'), 'url', 'is required'],
  ['no provider to remove', () => caller.delete('/transcription-provider'), 'provider', 'is required'],
  [
    'a day for a time',
    () => caller.post('/webhooks/deliveries/replay', { since: '2026-11-21' }),
    'since',
    'must be a time such as 2026-11-21T09:00:00Z',
  ],
  ['no name', () => asOperator('POST', '/admin/accounts', {}), 'name', 'is required'],
  ['an empty name', () => asOperator('POST', '/admin/accounts', { name: ' ' }), 'name', 'must not be empty'],
  ['an amount as text', crediting({ ...credit, amountDollars: '1' }), 'amountDollars', 'must be a number'],
  ['no reference', crediting({ amountDollars: 1 }), 'reference', 'is required'],
  ['less than nothing', crediting({ ...credit, amountDollars: -1 }), 'amountDollars', 'must be at least 0'],
])('%s is told in plain words', async (_, request, path, message) => {
  const { status, body } = await request()
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(body.details).toContainEqual({ path, message })
  const [first] = body.details
  expect(body.error).toBe(`The request is not valid: ${first.path && `${first.path}: `}${first.message}`)
})
