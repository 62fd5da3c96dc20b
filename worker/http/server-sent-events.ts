import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { JobJson } from '../media/present.ts'
import type { HttpEnv } from './request-context.ts'

/** Shorter than the idle timeouts of common proxies. */
export const HEARTBEAT_MS = 15_000

export interface ServerSentEvents {
  /** Aborted when the client has gone, which the runtime may notice only when a heartbeat cannot be sent. */
  readonly gone: AbortSignal
  send(event: { event: string; id: string; data: JobJson }): Promise<void>
  /** For a client that has received no event: where to resume, and how soon. */
  sendPosition(id: string, retryMs: number): Promise<void>
  heartbeat(): Promise<void>
}

/** JSON has no raw newlines, so the data of an event is one line, which is copied while the client reads it. */
export const serverSentEvents = (
  c: Context<HttpEnv>,
  run: (events: ServerSentEvents) => Promise<void>,
): Response | Promise<Response> =>
  streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    await run({
      gone: gone.signal,
      send: async ({ event, id, data }) => {
        await stream.write(`event: ${event}\nid: ${id}\ndata: `)
        for await (const chunk of new Response(data).body ?? []) {
          if (gone.signal.aborted) return
          await stream.write(chunk)
        }
        await stream.write('\n\n')
      },
      sendPosition: async (id, retryMs) => void (await stream.write(`id: ${id}\nretry: ${retryMs}\n\n`)),
      heartbeat: async () => void (await stream.write(': heartbeat\n\n')),
    })
  })
