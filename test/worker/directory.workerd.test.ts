import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newId } from '../../domain/ids.ts'
import type { Job } from '../../domain/jobs/job.ts'
import { micros } from '../../domain/money/money.ts'
import { addAccount, listAccounts, listJobs, recordAccount, recordJob, removeJobs } from '../../worker/directory.ts'

/** Writes of D1 may arrive late and in another order: their object was restarted meanwhile, and has written again. */

const page = { before: null, limit: 10 }

const jobAs = (id: string, changes: Partial<Job>): Job =>
  ({
    ...{ id, kind: 'import', state: 'queued', request: { url: 'https://media.example/film.mp4' }, createdAt: 1 },
    ...{ startedAt: null, completedAt: null, removedAt: null, result: null, failure: null },
    ...changes,
  }) as Job

test('a record of a job that comes late does not undo its end, or the removal of its media', async () => {
  const accountId = newId('account', Date.now())
  const id = newId('import', Date.now())
  const listed = async () => listJobs(env.DB, accountId, { kind: null, state: null }, page)
  const ended = { state: 'completed', completedAt: 2 } as const
  await recordJob(env.DB, accountId, jobAs(id, ended))
  await recordJob(env.DB, accountId, jobAs(id, {}))
  expect(await listed()).toMatchObject([{ id, state: 'completed', completedAt: 2 }])
  await recordJob(env.DB, accountId, jobAs(id, { ...ended, removedAt: 3 }))
  await recordJob(env.DB, accountId, jobAs(id, ended))
  expect(await listed()).toMatchObject([{ id, removedAt: 3 }])
})

test('a record of an account that comes late changes nothing', async () => {
  const id = newId('account', Date.now())
  const name = `account of a late record ${id}`
  await addAccount(env.DB, { id, name, createdAt: 1, key: { id: 'key', hash: id }, credit: micros(0) })
  await recordAccount(env.DB, { id, name, isSuspended: true, origins: null, version: 7 })
  await recordAccount(env.DB, { id, name, isSuspended: false, origins: null, version: 6 })
  expect(await listAccounts(env.DB, name, page)).toMatchObject([{ id, isSuspended: true }])
})

test('old jobs are removed by pages, and those that are kept stay', async () => {
  const accountId = newId('account', Date.now())
  const other = newId('account', Date.now())
  await env.DB.prepare(
    `INSERT INTO jobs (account_id, position, id, kind, state, url, created_at)
     SELECT account.value, printf('%05d', n.value), printf('imp_%05d_%s', n.value, account.value), 'import', 'completed', '', n.value
       FROM json_each(?) account, json_each(?) n`,
  )
    .bind(JSON.stringify([accountId, other]), JSON.stringify(Array.from({ length: 2_500 }, (_, index) => index + 1)))
    .run()
  const idsOf = async (id: string) => {
    const { results } = await env.DB.prepare('SELECT position FROM jobs WHERE account_id = ? ORDER BY position')
      .bind(id)
      .all()
    return results.map(({ position }) => position)
  }
  await removeJobs(env.DB, accountId, '02400', [`imp_00007_${accountId}`])
  const left = await idsOf(accountId)
  expect([left[0], left[1], left.length]).toEqual(['00007', '02400', 102])
  expect((await idsOf(other)).length).toBe(2_500)
})
