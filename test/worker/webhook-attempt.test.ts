import { expect, test } from 'vitest'
import { attempt } from '../../worker/delivery/webhooks/attempt.ts'
import { Forbidden, type Outbound } from '../../worker/outbound.ts'

const url = 'https://receiver.example/hook'
const message = { headers: { 'webhook-id': 'evt_1' }, body: '{}' }

const answering = (answer: () => Response | Promise<Response>): Outbound => ({
  mayReach: async () => true,
  fetch: async () => answer(),
})

const failing = (cause: Error): Outbound => answering(() => Promise.reject(cause))

test('one POST is made, with the headers and the body as they were signed', async () => {
  const seen: { url: string; method: string | undefined; headers: unknown; body: unknown }[] = []
  const outbound: Outbound = {
    mayReach: async () => true,
    fetch: async (to: URL, init) => {
      seen.push({ url: to.href, method: init?.method, headers: init?.headers, body: init?.body })
      return new Response('fine')
    },
  }
  expect(await attempt(outbound, url, message)).toEqual({
    status: 200,
    answer: 'fine',
    mishap: null,
    retryAfterMs: null,
  })
  expect(seen).toEqual([{ url, method: 'POST', ...message }])
})

test('an address that has become private is not reached', async () => {
  expect(await attempt(failing(new Forbidden()), url, message)).toMatchObject({ mishap: 'ADDRESS_NOT_PUBLIC' })
})

test('a connection that breaks is an outcome, not a fault', async () => {
  expect(await attempt(failing(new TypeError('reset')), url, message)).toEqual({
    status: null,
    answer: null,
    mishap: 'CONNECTION_FAILED',
    retryAfterMs: null,
  })
})

test.each([
  [200, null],
  [204, null],
  [302, 'REDIRECTED'],
  [404, 'REFUSED'],
  [410, 'REFUSED'],
  [503, 'REFUSED'],
])('a %i is %s', async (status, mishap) => {
  const outcome = await attempt(
    answering(() => new Response(null, { status })),
    url,
    message,
  )
  expect(outcome).toMatchObject({ status, mishap, answer: '' })
})

test('at most 64 KiB of an answer are read, and 1 KiB of them is kept', async () => {
  let poured = 0
  let canceled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      poured += 4_096
      controller.enqueue(new Uint8Array(4_096).fill(0x61))
    },
    cancel: () => {
      canceled = true
    },
  })
  const outcome = await attempt(
    answering(() => new Response(endless)),
    url,
    message,
  )
  expect(outcome.answer).toBe('a'.repeat(1_024))
  expect(poured).toBeLessThanOrEqual(64 * 1_024 + 2 * 4_096)
  expect(canceled).toBe(true)
})

test('a character that the cut goes through is left out, and bytes that are no text are kept as such', async () => {
  const cut = await attempt(
    answering(() => new Response(`a${'é'.repeat(600)}`)),
    url,
    message,
  )
  expect(cut.answer).toBe(`a${'é'.repeat(511)}`)
  const binary = await attempt(
    answering(() => new Response(new Uint8Array([0x66, 0xff, 0x6f]))),
    url,
    message,
  )
  expect(binary.answer).toBe('f\ufffdo')
})

test('a 2xx whose body breaks off has delivered', async () => {
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('than')),
    pull: (controller) => controller.error(new Error('reset')),
  })
  const outcome = await attempt(
    answering(() => new Response(broken)),
    url,
    message,
  )
  expect(outcome).toMatchObject({ status: 200, mishap: null, answer: 'than' })
})
