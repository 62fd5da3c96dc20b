import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { isoTime } from '../../domain/jobs/job-status.ts'
import type { JobJson } from '../media/present.ts'
import type { HttpEnv } from './request-context.ts'

/** Shorter than the idle timeouts of common proxies. */
export const HEARTBEAT_MS = 15_000

/** For responses that are sent while they are written: proxies that compress or buffer hold back their first bytes. */
export const sentAsWritten = { 'Cache-Control': 'private, no-store, no-transform', 'X-Accel-Buffering': 'no' }

const READY = 'ready'

export type ServerSentEvents = ReturnType<typeof eventsOf>

const eventsOf = (stream: SSEStreamingApi, gone: AbortSignal) => ({
  /** Aborted when the client has gone, which the runtime may notice only when a heartbeat cannot be sent. */
  gone,
  /** JSON has no raw newlines, so the data of an event is one line, which is copied while the client reads it. */
  send: async ({ event, id, data }: { event: string; id: string; data: JobJson }): Promise<void> => {
    const start = `event: ${event}\nid: ${id}\ndata: `
    if (typeof data === 'string') {
      // In one piece: each one passes all proxies by itself.
      await stream.write(`${start}${data}\n\n`)
      return
    }
    await stream.write(start)
    for await (const chunk of new Response(data).body ?? []) {
      if (gone.aborted) return
      await stream.write(chunk)
    }
    await stream.write('\n\n')
  },
  /**
   * Tells a client that has received no event where to resume, and how soon. It has data for the parsers that hand out every
   * message with an id. Two lines end with CR, so that haul-client, which splits at LF only, finds no event here.
   */
  sendReady: (id: string, retryMs: number) => {
    const data = JSON.stringify({ type: READY, timestamp: isoTime(Date.now()), data: {} })
    return stream.write(`event: ${READY}\rdata: ${data}\rretry: ${retryMs}\nid: ${id}\n\n`)
  },
  /** Without an empty line, at which some parsers hand out a message. */
  heartbeat: () => stream.write(': heartbeat\n'),
})

export const serverSentEvents = (c: Context<HttpEnv>, run: (events: ServerSentEvents) => Promise<void>): Response => {
  const response = streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    await run(eventsOf(stream, gone.signal))
  })
  for (const [name, value] of Object.entries(sentAsWritten)) response.headers.set(name, value)
  return response
}
