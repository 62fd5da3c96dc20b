import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { admission, finishImport, newAccount } from '../support/account.ts'

const dollar = micros(1_000_000)

test('when two imports run, a third is refused, and nothing is held or counted for it', async () => {
  const { account, identity } = await newAccount()
  await account.admit(identity, admission(dollar))
  await account.admit(identity, admission(dollar))
  const third = await account.admit(identity, admission(dollar))
  expect(third.result).toMatchObject({
    ok: false,
    refusal: { code: 'CONCURRENCY_LIMITED', facts: { limit: 2, remaining: 0 } },
  })
  expect(third.rate.remaining).toBe(238)
  expect((await account.summary(identity)).result).toMatchObject({ value: { held: 2_000_000, available: 8_000_000 } })
})

test('a hold that exceeds the available balance is refused with the required and the available amount', async () => {
  const { account, identity } = await newAccount(micros(1_500_000))
  await account.admit(identity, admission(dollar))
  const second = await account.admit(identity, admission(dollar))
  expect(second.result).toMatchObject({
    ok: false,
    refusal: { code: 'INSUFFICIENT_BALANCE', facts: { requiredDollars: 1, availableDollars: 0.5 } },
  })
})

test('of 200 simultaneous imports against a balance for 10, exactly 10 are accepted', async () => {
  const { account, identity } = await newAccount(micros(10 * dollar))
  const tryUntilAnswered = async (): Promise<boolean> => {
    for (;;) {
      const { result } = await account.admit(identity, admission(dollar))
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
  const summary = await account.summary({ ...identity, rateClass: 'general' })
  expect(summary.result).toMatchObject({ value: { balance: 0, held: 0, available: 0 } })
})

test('the rate limit for starts survives an eviction of the object', async () => {
  const { account, identity } = await newAccount()
  const before = await account.admit(identity, admission(dollar))
  await evictDurableObject(account)
  const after = await account.authenticate(identity)
  expect(before.rate.remaining).toBe(239)
  expect(after.rate.remaining).toBe(238)
})
