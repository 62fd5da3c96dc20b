import { describe, expect, test } from 'vitest'
import { openSealer, SealBroken } from '../../../../domain/secrets/sealing.ts'

const key = (fill: number): string => btoa(String.fromCharCode(...new Uint8Array(32).fill(fill)))
const K1 = `k1:${key(1)}`
const K2 = `k2:${key(2)}`
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY ü 🔑'
const place = { accountId: 'acct_a', record: 'storage' }

describe('a sealed secret', () => {
  test.each(['', 'x', SECRET, 'long '.repeat(10_000)])('is restored by unsealing', async (text) => {
    const sealer = await openSealer(K1)
    expect(await sealer.unseal(await sealer.seal(text, place), place)).toBe(text)
  })

  test('contains the ID of its key but no plaintext, and differs each time', async () => {
    const sealer = await openSealer(K1)
    const [one, two] = [await sealer.seal(SECRET, place), await sealer.seal(SECRET, place)]
    expect(one).toMatch(/^s1\.k1\.[A-Za-z0-9_-]+$/)
    expect(one).not.toBe(two)
    expect(atob(one.slice(6).replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('wJalr')
  })

  test.each([
    ['another account', { accountId: 'acct_b', record: 'storage' }],
    ['another record', { accountId: 'acct_a', record: 'provider/openai' }],
    ['the same characters split at another place', { accountId: 'acct_as', record: 'torage' }],
  ])('cannot be unsealed for %s', async (_, elsewhere) => {
    const sealer = await openSealer(K1)
    await expect(sealer.unseal(await sealer.seal(SECRET, place), elsewhere)).rejects.toThrow(SealBroken)
  })

  test('cannot be unsealed after any character has changed', async () => {
    const sealer = await openSealer(K1)
    const sealed = await sealer.seal('secret', place)
    for (let i = 0; i < sealed.length; i++) {
      const changed = sealed.slice(0, i) + (sealed[i] === 'A' ? 'B' : 'A') + sealed.slice(i + 1)
      await expect(sealer.unseal(changed, place), changed).rejects.toThrow(SealBroken)
    }
  })

  test('cannot be unsealed when cut, extended or invented', async () => {
    const sealer = await openSealer(K1)
    const sealed = await sealer.seal(SECRET, place)
    for (const wrong of [
      sealed.slice(0, -4),
      `${sealed}AAAA`,
      `${sealed}.x`,
      '',
      's1.k1.',
      's1.k1.%%%',
      's2.k1.AAAA',
    ]) {
      await expect(sealer.unseal(wrong, place), wrong).rejects.toThrow(SealBroken)
    }
  })

  test('cannot be unsealed with another master key of the same ID', async () => {
    const sealed = await (await openSealer(K1)).seal(SECRET, place)
    const impostor = await openSealer(`k1:${key(9)}`)
    await expect(impostor.unseal(sealed, place)).rejects.toThrow(SealBroken)
  })

  test('does not appear in errors', async () => {
    const sealer = await openSealer(K1)
    const error = await sealer.unseal(await sealer.seal(SECRET, place), { ...place, record: 'x' }).catch(String)
    expect(error).toBe('SealBroken: The secret does not open here')
  })
})

describe('rotation', () => {
  test('unseals with the old key and seals with the new one', async () => {
    const old = await (await openSealer(K1)).seal(SECRET, place)
    const both = await openSealer(`${K2}, ${K1}`)
    expect(await both.unseal(old, place)).toBe(SECRET)
    expect(await both.seal(SECRET, place)).toMatch(/^s1\.k2\./)
  })

  test('reseals once, after which the old key can be removed', async () => {
    const old = await (await openSealer(K1)).seal(SECRET, place)
    const both = await openSealer(`${K2},${K1}`)
    const moved = (await both.reseal(old, place)) ?? expect.fail('Nothing was resealed')
    expect(await both.reseal(moved, place)).toBeNull()
    const after = await openSealer(K2)
    expect(await after.unseal(moved, place)).toBe(SECRET)
    await expect(after.unseal(old, place)).rejects.toThrow(SealBroken)
  })

  test('does not reseal for another account', async () => {
    const old = await (await openSealer(K1)).seal(SECRET, place)
    const both = await openSealer(`${K2},${K1}`)
    await expect(both.reseal(old, { ...place, accountId: 'acct_b' })).rejects.toThrow(SealBroken)
  })
})

test.each(['', 'k1', 'k1:', `k1:${btoa('short')}`, `k 1:${key(1)}`, `${K1},`, `${K1},${K1}`, `k1:!!!`])(
  'SEAL_KEYS of %j are refused without being repeated',
  async (keys) => {
    const message = await openSealer(keys).then(() => 'taken', String)
    expect(message).toMatch(/^Error: SEAL_KEYS/)
    expect(message).not.toContain(key(1))
  },
)
