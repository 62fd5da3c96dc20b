import { isId } from '../../../domain/ids.ts'
import type { AccountRows } from '../account-rows.ts'
import { batchSnapshot } from '../batches/batch-snapshot.ts'
import { WAIT_HEADER, WAIT_IS_OVER, WAIT_RENEW_MS, type WaitRequest } from '../calls.ts'
import { lastEventNumber } from '../events/event-rows.ts'
import { snapshotOf } from '../jobs/snapshots.ts'
import { type ApiKey, mayUse, poolOf } from '../keys/key-rows.ts'
import type { KeyPool } from '../requests/counted-use.ts'

/** Of each pool of keys. */
export const MAX_EVENT_STREAMS = 10

const EVENTS = 'events'
/** Its Worker has ended without closing it. */
const STALE_MS = 2 * WAIT_RENEW_MS

type Waiting = WaitRequest & { openedAt: number }

/**
 * Workers that wait for something hold a WebSocket to the object. The object may sleep meanwhile, and neither is billed for
 * the time. After each commit, the Workers that wait for what has changed are told. A Worker that waits opens its socket again after a reset,
 * and each minute anyway, and says what it has seen. So nothing about them is remembered here.
 */
export class WaitingWorkers {
  readonly #ctx: DurableObjectState
  readonly #rows: AccountRows
  #lastEvent: number | null = null

  constructor(ctx: DurableObjectState, rows: AccountRows) {
    this.#ctx = ctx
    this.#rows = rows
  }

  open(request: Request, now: number): Response {
    const wait: WaitRequest = JSON.parse(request.headers.get(WAIT_HEADER) ?? '')
    const key = this.#rows.keys.live(wait.keyHash, now)
    if (!key) return new Response(null, { status: 403 })
    const pool = wait.subject === EVENTS ? poolOf(key) : null
    if (pool !== null && this.countStreams(pool, wait.streamId, now) >= MAX_EVENT_STREAMS) {
      return new Response(null, { status: 429 })
    }
    const message = this.#messageFor(key, wait)
    if (message === null) return new Response(null, { status: 404 })
    const { 0: theirs, 1: ours } = new WebSocketPair()
    ours.serializeAttachment({ ...wait, openedAt: now } satisfies Waiting)
    this.#ctx.acceptWebSocket(ours, pool === null ? [wait.subject] : [EVENTS, streamsOf(pool)])
    if (wait.seen !== this.#versionOf(wait)) ours.send(message)
    return new Response(null, { status: 101, webSocket: theirs })
  }

  /** How many streams of events are open, apart from one. */
  countStreams(pool: KeyPool, exceptId: string | null, now: number): number {
    const streams = this.#ctx.getWebSockets(streamsOf(pool)).map(waitingOf)
    return streams.filter((stream) => stream.streamId !== exceptId && !isStale(stream, now)).length
  }

  /** Called after each commit. */
  tell(now: number): void {
    const { changed, areKeysChanged } = this.#rows.takeChanges()
    for (const subject of changed) for (const socket of this.#ctx.getWebSockets(subject)) this.#tell(socket, now)
    if (areKeysChanged) for (const socket of this.#ctx.getWebSockets()) this.#tell(socket, now)
    const streams = changed.size > 0 ? this.#ctx.getWebSockets(EVENTS) : []
    if (streams.length === 0) return
    const last = lastEventNumber(this.#rows.sql)
    if (this.#lastEvent === last) return
    this.#lastEvent = last
    for (const socket of streams) this.#tell(socket, now)
  }

  #tell(socket: WebSocket, now: number): void {
    try {
      const waiting = waitingOf(socket)
      if (isStale(waiting, now)) {
        socket.close()
        return
      }
      const key = this.#rows.keys.live(waiting.keyHash, now)
      const message = key && this.#messageFor(key, waiting)
      if (message === null) socket.close(WAIT_IS_OVER)
      else socket.send(message)
    } catch (cause) {
      // Its Worker asks again within a minute.
      console.warn('a waiting Worker was not told', cause)
    }
  }

  /** null: there is nothing to wait for. */
  #messageFor(key: ApiKey, { subject }: WaitRequest): string | null {
    if (subject === EVENTS) return mayUse(key, 'read') ? `${lastEventNumber(this.#rows.sql)}` : null
    const read = isId('batch', subject) ? batchSnapshot : snapshotOf
    const found = read(this.#rows, key, subject)
    return found.ok ? JSON.stringify(found.value) : null
  }

  #versionOf({ subject }: WaitRequest): number {
    const { sql, progress } = this.#rows
    return subject === EVENTS ? lastEventNumber(sql) : progress.versionOf(subject)
  }
}

const streamsOf = (pool: KeyPool): string => `streams ${pool}`

const waitingOf = (socket: WebSocket): Waiting => socket.deserializeAttachment()

const isStale = ({ openedAt }: Waiting, now: number): boolean => openedAt + STALE_MS <= now
