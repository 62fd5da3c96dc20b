import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { micros } from '../../worker/domain/money/money.ts'
import { admission, finishImport, newAccount } from './account.ts'

const dollar = micros(1_000_000)

test('when two imports run, a third is refused, and nothing is held or counted for it', async () => {
  const { account, pass } = await newAccount()
  await account.admit(pass, admission(dollar))
  await account.admit(pass, admission(dollar))
  const third = await account.admit(pass, admission(dollar))
  expect(third.result).toMatchObject({
    ok: false,
    refusal: { code: 'CONCURRENCY_LIMITED', facts: { limit: 2, remaining: 0 } },
  })
  expect(third.rate.remaining).toBe(238)
  expect((await account.summary(pass)).result).toMatchObject({ value: { held: 2_000_000, available: 8_000_000 } })
})

test('a hold that does not fit the balance is refused with what is required and what is there', async () => {
  const { account, pass } = await newAccount(micros(1_500_000))
  await account.admit(pass, admission(dollar))
  const second = await account.admit(pass, admission(dollar))
  expect(second.result).toMatchObject({
    ok: false,
    refusal: { code: 'INSUFFICIENT_BALANCE', facts: { requiredDollars: 1, availableDollars: 0.5 } },
  })
})

test('of 200 simultaneous imports against a balance for 10, exactly 10 are accepted', async () => {
  const { account, pass } = await newAccount(micros(10 * dollar))
  const tryUntilAnswered = async (): Promise<boolean> => {
    for (;;) {
      const { result } = await account.admit(pass, admission(dollar))
      if (result.ok) {
        await finishImport(account, result.value.jobId, 100_000_000)
        return true
      }
      if (result.refusal.code === 'INSUFFICIENT_BALANCE') return false
      expect(result.refusal.code).toBe('CONCURRENCY_LIMITED')
    }
  }
  const accepted = await Promise.all(Array.from({ length: 200 }, tryUntilAnswered))
  expect(accepted.filter(Boolean)).toHaveLength(10)
  const summary = await account.summary({ ...pass, rateClass: 'general' })
  expect(summary.result).toMatchObject({ value: { balance: 0, held: 0, available: 0 } })
})

test('the window of starts survives the sleep of the object', async () => {
  const { account, pass } = await newAccount()
  const before = await account.admit(pass, admission(dollar))
  await evictDurableObject(account)
  const after = await account.enter(pass)
  expect(before.rate.remaining).toBe(239)
  expect(after.rate.remaining).toBe(238)
})

test('the 241st request of an hour is refused with the time to come back, and does not consume', async () => {
  const { account, pass } = await newAccount()
  for (let i = 0; i < 240; i++) await account.enter(pass)
  const refused = await account.enter(pass)
  expect(refused.result).toMatchObject({
    ok: false,
    refusal: { code: 'RATE_LIMITED', facts: { limit: 240, remaining: 0, endpoint: '/import' } },
  })
  expect(refused.rate.remaining).toBe(0)
})

test('a key that is revoked is refused at the very next call', async () => {
  const { account, pass } = await newAccount()
  await account.addKey({ id: 'key_second', hash: 'b'.repeat(64) })
  const second = { ...pass, keyHash: 'b'.repeat(64) }
  expect((await account.enter(second)).result.ok).toBe(true)
  await account.revokeKey('key_second')
  expect((await account.enter(second)).result).toMatchObject({ ok: false, refusal: { code: 'UNAUTHORIZED' } })
  expect((await account.enter(pass)).result.ok).toBe(true)
})

test('a credit with a reference that was seen before credits nothing', async () => {
  const { account } = await newAccount(micros(0))
  const first = await account.credit(dollar, 'invoice 7')
  const again = await account.credit(dollar, 'invoice 7')
  expect(first).toMatchObject({ ok: true, value: { credited: true } })
  expect(again).toMatchObject({ ok: true, value: { credited: false, balance: 1_000_000 } })
})
