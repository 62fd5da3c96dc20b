import { expect, test } from 'vitest'
import type { AttemptOutcome } from '../../../worker/account/webhooks/webhook-delivery.ts'
import { Forbidden, type Outbound } from '../../../worker/outbound.ts'
import { postOnce } from '../../../worker/webhooks/attempt-delivery.ts'

const url = 'https://receiver.example/hook'
const message = { headers: { 'webhook-id': 'evt_1' }, body: '{}' }

const answering = (answer: () => Response | Promise<Response>): Outbound => ({
  mayReach: async () => true,
  fetch: async () => answer(),
  hasSourceProxy: async () => false,
})

test('one POST is sent, with the headers and the body that were signed', async () => {
  const seen: { url: string; method: string | undefined; headers: unknown; body: unknown }[] = []
  const outbound: Outbound = {
    mayReach: async () => true,
    fetch: async (to: URL, init) => {
      seen.push({ url: to.href, method: init?.method, headers: init?.headers, body: init?.body })
      return new Response('fine')
    },
    hasSourceProxy: async () => false,
  }
  expect(await postOnce(outbound, url, message)).toEqual({
    status: 200,
    responseBody: 'fine',
    attemptError: null,
    retryAfterMs: null,
  })
  expect(seen).toEqual([{ url, method: 'POST', ...message }])
})

const broken = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('than')),
    pull: (controller) => controller.error(new Error('reset')),
  })

const hour = { headers: { 'retry-after': '3600' } }

test.each<[string, () => Response | Promise<never>, Partial<AttemptOutcome>]>([
  ['a 204', () => new Response(null, { status: 204 }), { status: 204, attemptError: null, responseBody: '' }],
  ['a redirect', () => new Response(null, { status: 302 }), { status: 302, attemptError: 'REDIRECTED' }],
  ['a 404', () => new Response(null, { status: 404 }), { status: 404, attemptError: 'REFUSED' }],
  ['a 410', () => new Response(null, { status: 410 }), { status: 410, attemptError: 'REFUSED' }],
  ['a 503 with Retry-After', () => new Response(null, { status: 503, ...hour }), { retryAfterMs: 3_600_000 }],
  ['a 2xx whose body breaks off', () => new Response(broken()), { attemptError: null, responseBody: 'than' }],
  // The excerpt never ends with half a character.
  ['a long body', () => new Response(`a${'é'.repeat(600)}`), { responseBody: `a${'é'.repeat(511)}` }],
  ['bytes that are not text', () => new Response(new Uint8Array([0x66, 0xff, 0x6f])), { responseBody: 'f\ufffdo' }],
  ['an address that has become private', () => Promise.reject(new Forbidden()), { attemptError: 'ADDRESS_NOT_PUBLIC' }],
  [
    'a broken connection',
    () => Promise.reject(new TypeError('reset')),
    { status: null, responseBody: null, attemptError: 'CONNECTION_FAILED', retryAfterMs: null },
  ],
])('%s is an outcome', async (_, answer, outcome) => {
  expect(await postOnce(answering(answer), url, message)).toMatchObject(outcome)
})

test('at most 64 KiB of a response are read, and 1 KiB of them is kept', async () => {
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
  const outcome = await postOnce(
    answering(() => new Response(endless)),
    url,
    message,
  )
  expect(outcome.responseBody).toBe('a'.repeat(1_024))
  expect(poured).toBeLessThanOrEqual(64 * 1_024 + 2 * 4_096)
  expect(canceled).toBe(true)
})
