import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
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
    let text = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) receive(block)
    }
  }

  const receive = (block: string): void => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    const [id, data] = [field('id'), field('data')]
    lastId = id ?? lastId
    if (id && data) received.push({ id, type: field('event') ?? '', body: JSON.parse(data) })
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
