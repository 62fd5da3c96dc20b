import { expect, test } from 'vitest'
import { metadataField, metadataProblems } from '../../../../domain/jobs/job-metadata.ts'

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, '']))

test.each<[string, unknown]>([
  ['nothing', {}],
  ['strings', { episode: '42', 'a.b-c_D9': '' }],
  ['20 keys', keys(20)],
  ['40 characters as a key, 500 as a string', { ['k'.repeat(40)]: 'v'.repeat(500) }],
  ['names of properties that all objects have', { constructor: 'x', toString: 'y' }],
])('metadata may have %s', (_, value) => expect(metadataProblems(value)).toEqual([]))

const key = 'is not a key: 1 to 40 letters, digits, _, . and -'

test.each<[string, unknown, string[], string]>([
  ['no object', 'episode=42', [], 'must be an object of strings'],
  ['null', null, [], 'must be an object of strings'],
  ['a list', ['42'], [], 'must be an object of strings'],
  ['21 keys', keys(21), [], 'must have at most 20 keys'],
  ['an empty key', { '': 'x' }, [''], key],
  ['a key of 41 characters', { ['k'.repeat(41)]: 'x' }, ['k'.repeat(41)], key],
  ['a key with a space', { 'an episode': 'x' }, ['an episode'], key],
  ['a key with another letter', { größe: 'x' }, ['größe'], key],
  ['a key with a newline', { 'a\n': 'x' }, ['a\n'], key],
  ['a key that would be lost', JSON.parse('{"__proto__": "x"}'), ['__proto__'], key],
  ['a number', { episode: 42 }, ['episode'], 'must be a string'],
  ['null as a string', { episode: null }, ['episode'], 'must be a string'],
  ['a string of 501 characters', { episode: 'v'.repeat(501) }, ['episode'], 'must have at most 500 characters'],
])('metadata may not be or have %s', (_, value, path, message) =>
  expect(metadataProblems(value)).toEqual([{ path, message }]),
)

test('each wrong key is told', () => {
  expect(metadataProblems({ 'a b': 'x', fine: 'y', c: 1 }).map(({ path }) => path)).toEqual([['a b'], ['c']])
})

test('without a key there is no metadata', () => {
  expect([metadataField(undefined), metadataField({}), metadataField({ a: '' })]).toEqual([
    {},
    {},
    { metadata: { a: '' } },
  ])
})
