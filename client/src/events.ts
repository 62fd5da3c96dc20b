import type { Job, WebhookEvent } from './api-types.ts'
import { HaulConnectionError } from './errors.ts'
import { pause } from './http/call.ts'
import type { Connection } from './http/connection.ts'
import { readEvents } from './http/read-events.ts'
import { createRetries } from './http/retry.ts'

export interface EventsOptions {
  /** Aborting it ends the iteration with the signal's reason. */
  signal?: AbortSignal | undefined
  /** The id of the last event that was handled. Default: events from now on. */
  lastEventId?: string | undefined
  /** Called whenever the service has said where the stream begins: from then on no event is lost. */
  onOpen?: (() => void) | undefined
}

/** An event of the account: what its webhook would be, or the start of a job. `id` is `evt_…`. */
export type HaulEvent = (WebhookEvent | { type: 'job.started'; timestamp: string; data: Job }) & { id: string }

export async function* readAccountEvents(
  connection: Connection,
  { signal = new AbortController().signal, lastEventId, onOpen }: EventsOptions,
): AsyncGenerator<HaulEvent, void, undefined> {
  let last = lastEventId
  let { retryPolicy } = connection
  for (let pauseAfter = createRetries(retryPolicy, true); ; ) {
    const request = { path: '/events', headers: last === undefined ? {} : { 'Last-Event-ID': last } }
    const opened = () => {
      retryPolicy = { ...retryPolicy, maxRetries: Number.POSITIVE_INFINITY }
      pauseAfter = createRetries(retryPolicy, true)
      onOpen?.()
    }
    let reason: unknown = new HaulConnectionError('The stream of events has ended.')
    try {
      let isOpen = false
      for await (const { id, data } of readEvents(connection, request, { signal })) {
        last = id ?? last
        if (!isOpen) opened()
        isOpen = true
        if (data !== undefined) yield { ...JSON.parse(data), id }
      }
    } catch (error) {
      reason = error
    }
    signal.throwIfAborted()
    await pause(pauseAfter(reason), signal)
  }
}
