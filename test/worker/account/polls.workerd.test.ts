import { runInDurableObject } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { completed, newCaller } from '../support/caller.ts'
import { failNextTransaction } from '../support/tables.ts'

test('a second poll of a completed job reads its row and nothing else', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const poll = () => caller.get(`/import/status?id=${jobId}`)
  const first = await poll()
  await runInDurableObject(caller.account, async (_, { storage }) => {
    const exec = vi.spyOn(storage.sql, 'exec')
    const second = await poll()
    expect(second.body).toEqual(first.body)
    const read = exec.mock.results.map(({ value }) => (value as SqlStorageCursor<never>).rowsRead)
    exec.mockRestore()
    expect(read).toEqual([1])
  })
})

test('the poll after a removal shows it', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const poll = () => caller.get(`/import/status?id=${jobId}`)
  for (let polls = 0; polls < 3; polls++) expect((await poll()).body.data.removedAt).toBeUndefined()
  await caller.delete(`/jobs/${jobId}`)
  expect((await poll()).body.data.removedAt).toEqual(expect.any(String))
})

test('a failed change leaves no trace in the polls after it', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const poll = () => caller.get(`/import/status?id=${jobId}`)
  const { body } = await poll()
  vi.spyOn(console, 'error').mockReturnValue()
  await runInDurableObject(caller.account, async (_, state) => {
    failNextTransaction(state)
    expect((await caller.delete(`/jobs/${jobId}`)).status).toBe(500)
  })
  expect((await poll()).body).toEqual(body)
})
