import { expect, test } from 'vitest'
import { Forbidden, type Outbound } from '../../../worker/outbound.ts'
import { postOnce } from '../../../worker/webhooks/attempt-delivery.ts'

const url = 'https://receiver.example/hook'
const message = { headers: { 'webhook-id': 'evt_1' }, body: '{}' }

const answering = (answer: () => Response | Promise<Response>): Outbound => ({
  mayReach: async () => true,
  fetch: async () => answer(),
  hasSourceProxy: async () => false,
})

const failing = (cause: Error): Outbound => answering(() => Promise.reject(cause))

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

test('an address that has become private is not requested', async () => {
  expect(await postOnce(failing(new Forbidden()), url, message)).toMatchObject({ attemptError: 'ADDRESS_NOT_PUBLIC' })
})

test('a broken connection is an outcome and not an exception', async () => {
  expect(await postOnce(failing(new TypeError('reset')), url, message)).toEqual({
    status: null,
    responseBody: null,
    attemptError: 'CONNECTION_FAILED',
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
])('a %i is %s', async (status, attemptError) => {
  const outcome = await postOnce(
    answering(() => new Response(null, { status })),
    url,
    message,
  )
  expect(outcome).toMatchObject({ status, attemptError, responseBody: '' })
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

test('the excerpt never ends with half a character, and bytes that are not text are replaced', async () => {
  const cut = await postOnce(
    answering(() => new Response(`a${'é'.repeat(600)}`)),
    url,
    message,
  )
  expect(cut.responseBody).toBe(`a${'é'.repeat(511)}`)
  const binary = await postOnce(
    answering(() => new Response(new Uint8Array([0x66, 0xff, 0x6f]))),
    url,
    message,
  )
  expect(binary.responseBody).toBe('f\ufffdo')
})

test('a 2xx counts as delivered even when its body breaks off', async () => {
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('than')),
    pull: (controller) => controller.error(new Error('reset')),
  })
  const outcome = await postOnce(
    answering(() => new Response(broken)),
    url,
    message,
  )
  expect(outcome).toMatchObject({ status: 200, attemptError: null, responseBody: 'than' })
})
