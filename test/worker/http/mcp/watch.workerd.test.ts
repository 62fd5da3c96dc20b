import { expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts'
import { type Caller, newCaller } from '../../support/caller.ts'
import { passTime, skip } from '../../support/clock.ts'
import { callTool } from '../../support/mcp.ts'
import { FEED, listOf, named, polled, readWatch, startedWatch } from '../../support/watches.ts'

const watchesOf = async (caller: Caller) => (await caller.get('/watches')).body.data.watches

test('a URL is followed, with a ceiling for the month and one for each item, and transcripts unless asked otherwise', async () => {
  const caller = await newCaller()
  const asked = { url: FEED, first: 2, not_title: ['trailer'], min_seconds: 60, language: 'en' }
  const { text, data, isError } = await callTool(caller, 'watch', asked)
  expect(isError).toBe(false)
  expect(text).toMatch(/^The watch is starting\. Only new items are taken, and the 2 newest items\./)
  expect(text).toContain(`Call watch with watch_id "${data.watch_id}" later to see what it has found`)
  expect(data).toMatchObject({ url: FEED, status: 'starting', is_earlier_watch: false, charged_dollars: 0 })
  expect(await readWatch(caller, data.watch_id)).toMatchObject({
    ...{ first: 2, everyMinutes: 60, maxCostDollarsPerMonth: 5, import: null },
    filter: { notTitle: ['trailer'], minSeconds: 60 },
    transcribe: { mode: 'auto', language: 'en', maxCostDollars: 1 },
  })
})

test.each([
  ['video', { import: { includeVideo: true, maxCostDollars: 2 }, transcribe: null }],
  ['audio', { import: { includeVideo: false, maxCostDollars: 2 }, transcribe: null }],
  ['nothing', { import: null, transcribe: null }],
])('make %s makes that of each item', async (make, watch) => {
  const caller = await newCaller()
  const { data } = await callTool(caller, 'watch', { url: FEED, make, max_cost_dollars: 2 })
  expect(await readWatch(caller, data.watch_id)).toMatchObject(watch)
})

test('a URL that is followed already gets no second watch, and one that was removed is followed again', async () => {
  const caller = await newCaller()
  const first = await callTool(caller, 'watch', { url: FEED })
  const again = await callTool(caller, 'watch', { url: FEED, make: 'video' })
  expect(again.data).toMatchObject({ watch_id: first.data.watch_id, is_earlier_watch: true, status: 'starting' })
  expect(again.text).toContain('so none was started')
  expect(await watchesOf(caller)).toHaveLength(1)
  const { text, data } = await callTool(caller, 'watch', { watch_id: first.data.watch_id, action: 'remove' })
  expect(text).toContain(`Watch ${first.data.watch_id} is removed.`)
  expect(data).toMatchObject({ watch_id: first.data.watch_id })
  const third = await callTool(caller, 'watch', { url: FEED })
  expect(third.data).toMatchObject({ is_earlier_watch: false })
  expect(await watchesOf(caller)).toMatchObject([{ watchId: third.data.watch_id }])
  expect(third.data.watch_id).not.toBe(first.data.watch_id)
})

test('a watch is shown with its newest items as a quotation', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller, { maxCostDollarsPerMonth: 20 })
  expect((await callTool(caller, 'watch', { watch_id: watchId })).text).toContain('It has no items yet.')
  await polled(caller, watchId, listOf(named('a')))
  skip(HOUR_MS)
  await polled(caller, watchId, listOf([{ name: 'b', seconds: 90, publishedAt: Date.now() }, ...named('a')]))
  await passTime(caller.account, 0)
  const { text, quoted, data } = await callTool(caller, 'watch', { watch_id: watchId })
  expect(text).toContain(
    `Watch ${watchId} of "A podcast" (title from the source) is active.\nThe list is read again by `,
  )
  expect(text).toContain('Its jobs have cost $0.00 of at most $20.00 in this month (of UTC).')
  expect(text).toContain('Its 2 newest items are below, the newest first.')
  expect(quoted).toMatch(/\n\n\S+Z waiting https:\/\/media\.example\/b\.mp3 "b" 90 s \(1:30\)\nmarked \S+ "a"$/)
  expect(data).toMatchObject({
    ...{ watch_id: watchId, status: 'active', title: 'A podcast', waiting: 1, max_cost_dollars_per_month: 20 },
    items: [{ title: 'b', status: 'waiting', duration_seconds: 90 }, { status: 'marked' }],
  })
})

test('a pause says what to do, and resume and drop end it', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller, { maxNew: 1 })
  await polled(caller, watchId, listOf(named('a')))
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('c', 'b', 'a')))
  const shown = await callTool(caller, 'watch', { watch_id: watchId })
  expect(shown.text).toContain(
    'More items are new at once than a watch takes by itself. (TOO_MANY_NEW)\nAsk the user: call watch with action "resume" to take all of them, or "drop" to leave them out.\n2 items wait for a job.',
  )
  expect(shown.data).toMatchObject({
    status: 'paused',
    code: 'TOO_MANY_NEW',
    next: expect.stringMatching(/^Ask the user/),
  })
  const refused = await callTool(caller, 'watch', { watch_id: watchId, action: 'poll' })
  expect([refused.isError, refused.data.error]).toEqual([
    true,
    {
      code: 'WATCH_PAUSED',
      message: expect.any(String),
      next: 'Call watch with action "show" to see why, and with "resume" to end the pause.',
    },
  ])
  expect((await callTool(caller, 'watch', { watch_id: watchId, action: 'drop' })).data).toMatchObject({
    ...{ status: 'active', waiting: 0 },
    items: [{ status: 'marked' }, { status: 'marked' }, { status: 'marked' }],
  })
  const paused = await callTool(caller, 'watch', { watch_id: watchId, action: 'pause' })
  expect(paused.text).toContain('is paused.\nCall watch with action "resume" to end the pause.')
  expect((await callTool(caller, 'watch', { watch_id: watchId, action: 'resume' })).data.status).toBe('active')
})

test('a list is read when asked, once in a minute', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller)
  const early = await callTool(caller, 'watch', { watch_id: watchId, action: 'poll' })
  expect(early.data.error).toMatchObject({
    code: 'RATE_LIMITED',
    next: expect.stringMatching(/again in \d+ seconds\.$/),
  })
  skip(2 * MINUTE_MS)
  expect((await callTool(caller, 'watch', { watch_id: watchId, action: 'poll' })).isError).toBe(false)
})

test('without a URL and an id, all watches are listed', async () => {
  const caller = await newCaller()
  expect((await callTool(caller, 'watch')).text).toMatch(/^There are no watches\.\n/)
  const watchId = await startedWatch(caller)
  const { text, data } = await callTool(caller, 'watch')
  expect(text).toContain(`Watch ${watchId} of ${FEED} is starting.`)
  expect(data.watches).toMatchObject([{ watch_id: watchId, url: FEED, status: 'starting', waiting: 0 }])
})

test.each([
  [{ url: FEED, watch_id: 'wat_1' }, 'Give either url or watch_id, and not both.'],
  [{ action: 'pause' }, 'action needs watch_id.'],
  [{ url: FEED, make: 'video', language: 'en' }, 'language is only possible with make "transcript".'],
  [{ url: FEED, every_minutes: 1 }, 'every_minutes'],
])('%j is refused with what is wrong', async (args, message) => {
  const caller = await newCaller()
  const { isError, text, data } = await callTool(caller, 'watch', args)
  expect([isError, data.error.code]).toEqual([true, 'INVALID_REQUEST'])
  expect(text).toContain(message)
  expect(await watchesOf(caller)).toEqual([])
})

test("another account's watch is not found, and a limit is said with the next call", async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(await newCaller())
  for (const action of ['show', 'pause', 'resume', 'drop', 'poll', 'remove']) {
    const { text, data } = await callTool(caller, 'watch', { watch_id: watchId, action })
    expect([data.error.code, text]).toEqual(['NOT_FOUND', expect.stringContaining('Check the id.')])
  }
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => startedWatch(caller, { url: `https://media.example/${index}.xml` })),
  )
  const { text } = await callTool(caller, 'watch', { url: FEED })
  expect(text).toContain('Ask the user which watch is not needed any more, and call watch with action "remove" for it.')
})
