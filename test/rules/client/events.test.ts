import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type Answer, drop, refused, scriptedService, stream } from './scripted-service.ts'

const service = scriptedService()
const event = (id: string) => ({ id, type: 'import.completed', timestamp: '2026-11-22T12:00:00.000Z', data: {} })

/** The first message of a stream, which has no data. */
const position =
  (then: (response: ServerResponse) => void = () => {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('id: evt_0\nretry: 1000\n\n: heartbeat\n\n', () => then(response))
  }

test('events are yielded one after the other, and a broken stream continues after the last of them', async () => {
  service.on('GET /events', stream([event('evt_1'), event('evt_2')], 'drop'), drop, stream([event('evt_3')], 'hang'))
  const seen: string[] = []
  for await (const { id } of service.client().events()) {
    seen.push(id)
    if (seen.length === 3) break
  }
  expect(seen).toEqual(['evt_1', 'evt_2', 'evt_3'])
  const last = service.received().map(({ headers }) => headers['last-event-id'])
  expect(last).toEqual([undefined, 'evt_2', 'evt_2'])
})

test('a stream that broke before its first event continues where it began', async () => {
  service.on(
    'GET /events',
    position((response) => response.socket?.end()),
    stream([event('evt_1')], 'hang'),
  )
  expect((await service.client().events().next()).value).toMatchObject({ id: 'evt_1' })
  expect(service.received()[1]?.headers['last-event-id']).toBe('evt_0')
})

test('a stream can continue after an event of an earlier program', async () => {
  service.on('GET /events', stream([event('evt_8')]))
  const events = service.client().events({ lastEventId: 'evt_7' })
  expect((await events.next()).value).toMatchObject({ id: 'evt_8', type: 'import.completed' })
  await events.return?.()
  expect(service.received()[0]?.headers['last-event-id']).toBe('evt_7')
})

test('onOpen is called when the position of the stream has arrived, and an abort then ends the iteration', async () => {
  service.on('GET /events', position())
  const controller = new AbortController()
  const events = service.client().events({ signal: controller.signal, onOpen: () => controller.abort('enough') })
  await expect(events.next()).rejects.toBe('enough')
})

test('a refused key ends the iteration, and so does a service that cannot be reached from the start', async () => {
  service.on('GET /events', refused(401, 'UNAUTHORIZED'))
  await expect(service.client().events().next()).rejects.toMatchObject({ status: 401 })
  service.on('GET /events', drop)
  await expect(service.client({ maxRetries: 2 }).events().next()).rejects.toMatchObject({ name: 'HaulConnectionError' })
})
