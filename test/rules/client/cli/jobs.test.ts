import { expect, test } from 'vitest'
import { readJobs } from '../../../../client/cli/commands/jobs.ts'
import { type Answer, data, scriptedService } from '../scripted-service.ts'

const service = scriptedService()

const page = (ids: string[], nextCursor: string | null): Answer =>
  data({ jobs: ids.map((jobId) => ({ jobId })), nextCursor })

test('haul jobs reads on after short and empty pages, until it has as many jobs as asked for', async () => {
  service.on('GET /jobs', page([], 'c1'), page(['imp_1'], 'c2'), page(['imp_2'], 'c3'))
  const { jobs, nextCursor } = await readJobs(service.client(), { q: 'film' }, { limit: 2 })
  expect([jobs.map(({ jobId }) => jobId), nextCursor]).toEqual([['imp_1', 'imp_2'], 'c3'])
  expect(service.received().map(({ query }) => query)).toEqual([
    { q: 'film', limit: '2' },
    { q: 'film', limit: '2', cursor: 'c1' },
    { q: 'film', limit: '1', cursor: 'c2' },
  ])
})

test('haul jobs ends where the list ends', async () => {
  service.on('GET /jobs', page(['imp_1'], 'c1'), page([], null))
  expect(await readJobs(service.client(), {}, { limit: 20 })).toEqual({ jobs: [{ jobId: 'imp_1' }], nextCursor: null })
})
