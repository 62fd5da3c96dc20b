import { expect, test } from 'vitest'
import { type Answer, data, drop, refused, scriptedService } from './scripted-service.ts'

const service = scriptedService()

const page = (from: number, to: number, nextCursor: string | null): Answer =>
  data({ jobs: Array.from({ length: to - from }, (_, index) => ({ jobId: `imp_${from + index}` })), nextCursor })

test('a list yields the entries of all pages, of which one may be empty, and reads a page only when it is needed', async () => {
  service.on('GET /jobs', page(0, 2, 'c1'), drop, page(2, 4, 'c2'), page(4, 4, 'c3'), page(4, 5, null))
  const seen: string[] = []
  for await (const { jobId } of service.client().jobs.list({ status: 'failed' })) {
    seen.push(jobId)
    if (seen.length === 2) expect(service.received()).toHaveLength(1)
  }
  expect(seen).toEqual(['imp_0', 'imp_1', 'imp_2', 'imp_3', 'imp_4'])
  expect(service.received().map(({ query }) => query.cursor)).toEqual([undefined, 'c1', 'c1', 'c2', 'c3'])
  expect(service.received()[0]?.query).toEqual({ status: 'failed', limit: '100' })
})

test('limit is the number of entries, whatever the size of a page', async () => {
  service.on('GET /jobs', page(0, 100, 'c1'), page(100, 130, 'c2'))
  const jobs = []
  for await (const job of service.client().jobs.list({ limit: 130 })) jobs.push(job)
  expect(jobs).toHaveLength(130)
  expect(service.received().map(({ query }) => query.limit)).toEqual(['100', '30'])
})

test('filters are parameters of every page, and each key of metadata is one', async () => {
  service.on('GET /jobs', page(0, 1, 'c1'), page(1, 2, null))
  const filter = { metadata: { 'show.name': 'a & b', episode: '' }, q: 'talk', after: '2026-11-21T09:00:00Z' }
  for await (const _ of service.client().jobs.list({ ...filter, type: 'import' }));
  const { metadata: _, ...plain } = { ...filter, type: 'import' }
  const query = { ...plain, 'metadata.show.name': 'a & b', 'metadata.episode': '', limit: '100' }
  expect(service.received().map((request) => request.query)).toEqual([query, { ...query, cursor: 'c1' }])
})

test('a list that is left reads no further page', async () => {
  service.on('GET /jobs', page(0, 2, 'c1'))
  for await (const _ of service.client().jobs.list()) break
  expect(service.received()).toHaveLength(1)
})

test('a refusal ends the list', async () => {
  service.on('GET /batches/bat_1/items', refused(404, 'NOT_FOUND'))
  const items = service.client().batches.items('bat_1')
  await expect(items.next()).rejects.toMatchObject({ status: 404 })
})

test('an id is one part of the path, whatever characters it has', async () => {
  service.on('GET /jobs/..%2Faccount', refused(404, 'JOB_NOT_FOUND'))
  await expect(service.client().jobs.get('../account')).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
})
