import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newId } from '../../domain/ids.ts'
import { micros } from '../../domain/money/money.ts'
import { addAccount, listAccounts, recordAccount } from '../../worker/directory.ts'

/** Writes of D1 may arrive late and in another order: their object was restarted meanwhile, and has written again. */

const page = { before: null, limit: 10 }

test('a record of an account that comes late changes nothing', async () => {
  const id = newId('account', Date.now())
  const name = `account of a late record ${id}`
  await addAccount(env.DB, { id, name, createdAt: 1, key: { id: 'key', hash: id }, credit: micros(0) })
  await recordAccount(env.DB, { id, name, isSuspended: true, origins: null, version: 7 })
  await recordAccount(env.DB, { id, name, isSuspended: false, origins: null, version: 6 })
  expect(await listAccounts(env.DB, name, page)).toMatchObject([{ id, isSuspended: true }])
})
