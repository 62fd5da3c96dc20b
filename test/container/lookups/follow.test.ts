import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuard } from '../../../container/egress/guard.ts'
import { followList } from '../../../container/lookups/follow.ts'
import type { SharedTools } from '../../../container/source/routes/until-served.ts'
import { FollowResponse } from '../../../domain/protocol/protocol.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { scratchFolder } from '../audio/recordings.ts'
import { sharedExtractors } from '../source/extractor/shared-extractor.ts'

const never = new AbortController().signal
const feed =
  '<rss><channel><title>A show</title><item><enclosure url="/1.mp3" type="audio/mpeg"/></item></channel></rss>'
let url: string
let close: () => Promise<unknown>
let tools: SharedTools
let requests = 0

beforeAll(async () => {
  const server = createServer((request, response) => {
    requests++
    if (request.url === '/feed') response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed)
    else if (request.url === '/busy') response.writeHead(503, { 'retry-after': '0' }).end()
    else if (request.url !== '/hangs') response.writeHead(404).end()
  })
  const started = await listenOnLoopback(server)
  url = started.url
  close = async () => started.close()
  const guard = createGuard({ allow: new URL(url).host, lookup: async () => [] })
  tools = { guard, extractors: sharedExtractors, workRoot: scratchFolder(), log: () => {} }
})
afterAll(() => close())

const follow = async (path: string, timeoutMs = 20_000) => {
  const asked = { url: `${url}/`, feedUrl: url + path, limit: 500, withPage: false, timeoutMs }
  const answer = await followList(asked, tools, never)
  expect(FollowResponse.parse(answer)).toEqual(answer)
  return answer
}

describe('what a watch follows', () => {
  test('is answered with the bytes that were read for it', async () => {
    const { readBytes, ...answer } = await follow('/feed')
    expect(answer).toMatchObject({ status: 'done', title: 'A show', feedUrl: `${url}/feed`, isWhole: true })
    expect(readBytes).toBeGreaterThan(feed.length)
  })

  test('fails with when the origin wants to be asked again, after one more request', async () => {
    const before = requests
    expect(await follow('/busy')).toMatchObject({ status: 'failed', code: 'SOURCE_UNREACHABLE', retryAfterSeconds: 0 })
    expect(requests - before).toBe(2)
  })

  test('fails without such a time if the origin states none', async () => {
    const answer = await follow('/missing')
    expect(answer).toMatchObject({ status: 'failed', code: 'SOURCE_NOT_FOUND' })
    expect(answer).not.toHaveProperty('retryAfterSeconds')
  })

  test('is given up when the time is over', async () => {
    expect(await follow('/hangs', 300)).toMatchObject({ status: 'failed', code: 'TIMED_OUT' })
  })
})
