import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newId } from '../../domain/ids.ts'
import type { Job } from '../../domain/jobs/job.ts'
import { micros } from '../../domain/money/money.ts'
import { addAccount, listAccounts, listJobs, recordAccount, recordJob } from '../../worker/directory.ts'

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
  await recordAccount(env.DB, { id, name, isSuspended: true, version: 7 })
  await recordAccount(env.DB, { id, name, isSuspended: false, version: 6 })
  expect(await listAccounts(env.DB, name, page)).toMatchObject([{ id, isSuspended: true }])
})
