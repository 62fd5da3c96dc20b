import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { eventParser } from '../../../client/src/http/read-events.ts'
import type { AccountClient } from './api-client.ts'

export interface AccountEvent {
  id: string
  type: string
  body: { type: string; timestamp: string; data: { jobId?: string; batchId?: string; status: string } }
}

/**
 * Reads `GET /events` as an EventSource does: after a disconnect it resumes with the last id that it has seen, also if that
 * came without an event.
 */
export const readEvents = (baseUrl: string, { apiKey }: Pick<AccountClient, 'apiKey'>) => {
  const closed = new AbortController()
  const received: AccountEvent[] = []
  let lastId: string | null = null
  let connections = 0

  const readOnce = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${apiKey}`, ...(lastId === null ? {} : { 'last-event-id': lastId }) }
    const response = await fetch(`${baseUrl}/events`, { headers, signal: closed.signal })
    if (!response.ok || !response.body) throw new Error(`${response.status}`)
    connections++
    const parse = eventParser()
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      for (const { id, data } of parse(chunk)) {
        lastId = id ?? lastId
        if (!id || !data) continue
        const body: AccountEvent['body'] = JSON.parse(data)
        received.push({ id, type: body.type, body })
      }
    }
  }

  const reading = (async () => {
    while (!closed.signal.aborted) {
      await readOnce().catch(() => {})
      if (!closed.signal.aborted) await sleep(50)
    }
  })()

  return {
    received,
    /** Resolves when the stream was opened this often. */
    connected: (times = 1) => vi.waitUntil(() => connections >= times && lastId !== null, { timeout: 30_000 }),
    close: async () => {
      closed.abort()
      await reading
    },
  }
}
