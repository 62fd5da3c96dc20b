import { expect, test } from 'vitest'
import { newId } from '../../../../domain/ids.ts'
import { makeKey, parseKey, sameText, sha256Hex } from '../../../../domain/secrets/api-keys.ts'

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const signing = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const other = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const accountId = newId('account', Date.now())
const made = await makeKey(signing, accountId, Date.now())

test('a key contains its account and is identified by the hash of the whole key', async () => {
  expect(await parseKey(signing, made.apiKey)).toEqual({ accountId, hash: made.hash })
  expect(made.hash).toBe(await sha256Hex(made.apiKey))
  expect(made.hash).not.toContain(made.apiKey.slice(-24))
})

test('the key of an account in a region contains the region', async () => {
  const inOceania = `${accountId}_oc`
  const { apiKey, hash } = await makeKey(signing, inOceania, Date.now())
  expect(await parseKey(signing, apiKey)).toEqual({ accountId: inOceania, hash })
  expect(await parseKey(signing, apiKey.replace('_oc_', '_me_'))).toBeNull()
})

test('two keys of an account share only its ID', async () => {
  const second = await makeKey(signing, accountId, Date.now())
  expect(second.apiKey).not.toBe(made.apiKey)
  expect(second.apiKey.split('_')[1]).toBe(made.apiKey.split('_')[1])
  expect(second.apiKey.split('_')[2]).not.toBe(made.apiKey.split('_')[2])
})

test('a key signed with another secret is invalid', async () => {
  expect(await parseKey(other, made.apiKey)).toBeNull()
})

test('changing any character makes a key invalid', async () => {
  for (let place = 0; place < made.apiKey.length; place++) {
    const letter = made.apiKey[place] === 'a' ? 'b' : 'a'
    const changed = made.apiKey.slice(0, place) + letter + made.apiKey.slice(place + 1)
    expect([place, await parseKey(signing, changed)]).toEqual([place, null])
  }
})

test.each([
  '',
  'haul',
  'haul___',
  `${made.apiKey} `,
  `${made.apiKey}0`,
  made.apiKey.slice(0, -1),
  made.apiKey.toUpperCase(),
])('"%s" is not a key', async (text) => expect(await parseKey(signing, text)).toBeNull())

test.each([
  ['', '', true],
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', 'aa', false],
  ['ab', 'ba', false],
])('comparing "%s" with "%s" returns %s', (a, b, same) => expect(sameText(a, b)).toBe(same))
