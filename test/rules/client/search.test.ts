import { expect, test } from 'vitest'
import { type Answer, data, drop, refused, scriptedService } from './scripted-service.ts'

const service = scriptedService()

const page = (from: number, to: number, nextCursor: string | null): Answer =>
  data({ results: Array.from({ length: to - from }, (_, index) => ({ jobId: `trn_${from + index}` })), nextCursor })

test('search yields the passages of all pages, of which one may be short, with the words and the filter on each', async () => {
  service.on('GET /search', page(0, 2, 'c1'), drop, page(2, 2, 'c2'), page(2, 3, null))
  const seen: string[] = []
  const filter = { metadata: { show: 'a & b' }, language: 'en', speaker: 'A', sort: 'newest' } as const
  for await (const { jobId } of service.client().search('"the lease" -draft', filter)) {
    seen.push(jobId)
    if (seen.length === 2) expect(service.received()).toHaveLength(1)
  }
  expect(seen).toEqual(['trn_0', 'trn_1', 'trn_2'])
  const { metadata: _, ...plain } = { ...filter, q: '"the lease" -draft', 'metadata.show': 'a & b', limit: '50' }
  expect(service.received().map(({ query }) => query)).toEqual([
    plain,
    { ...plain, cursor: 'c1' },
    { ...plain, cursor: 'c1' },
    { ...plain, cursor: 'c2' },
  ])
})

test('limit is the number of passages, and a page has 50 at most', async () => {
  service.on('GET /search', page(0, 50, 'c1'), page(50, 70, 'c2'))
  const found = []
  for await (const each of service.client().search('lease', { limit: 70 })) found.push(each)
  expect(found).toHaveLength(70)
  expect(service.received().map(({ query }) => query.limit)).toEqual(['50', '20'])
})

test('words that the service refuses end the search', async () => {
  service.on('GET /search', refused(400, 'INVALID_REQUEST', { details: [{ path: 'q', message: 'must have a word' }] }))
  await expect(service.client().search('-draft').next()).rejects.toMatchObject({
    status: 400,
    details: [{ path: 'q' }],
  })
})

test('the index is turned off and on, and filled again, also when a connection is lost', async () => {
  service.on('PATCH /account', drop, data({ index: false }))
  service.on('POST /search/rebuild', drop, data({ status: 'rebuilding' }, 202))
  const haul = service.client()
  expect(await haul.updateAccount({ index: false })).toEqual({ index: false })
  expect(await haul.rebuildSearch()).toEqual({ status: 'rebuilding' })
  expect(service.received().map(({ route, body }) => [route, `${body}`])).toEqual([
    ...Array(2).fill(['PATCH /account', '{"index":false}']),
    ...Array(2).fill(['POST /search/rebuild', '']),
  ])
})
