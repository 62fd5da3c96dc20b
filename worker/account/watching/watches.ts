import { isId } from '../../../domain/ids.ts'
import type { AccountRows } from '../account-rows.ts'
import { batchSnapshot } from '../batches/batch-snapshot.ts'
import { WATCH_HEADER, WATCH_IS_OVER, WATCH_RENEW_MS, type WatchRequest } from '../calls.ts'
import { lastEventNumber } from '../events/event-rows.ts'
import { snapshotOf } from '../jobs/snapshots.ts'
import { type ApiKey, mayUse, poolOf } from '../keys/key-rows.ts'
import type { KeyPool } from '../requests/counted-use.ts'

/** Of each pool of keys. */
export const MAX_EVENT_STREAMS = 10

const EVENTS = 'events'
/** Its Worker has ended without closing it. */
const STALE_MS = 2 * WATCH_RENEW_MS

type Watching = WatchRequest & { openedAt: number }

/**
 * Workers that wait for something hold a WebSocket to the object. The object may sleep meanwhile, and neither is billed for
 * the time. After each commit, the watchers of what has changed are told. A watcher opens its socket again after a reset,
 * and each minute anyway, and says what it has seen. So nothing about watchers is remembered here.
 */
export class Watches {
  readonly #ctx: DurableObjectState
  readonly #rows: AccountRows
  #lastEvent: number | null = null

  constructor(ctx: DurableObjectState, rows: AccountRows) {
    this.#ctx = ctx
    this.#rows = rows
  }

  open(request: Request, now: number): Response {
    const watch: WatchRequest = JSON.parse(request.headers.get(WATCH_HEADER) ?? '')
    const key = this.#rows.keys.live(watch.keyHash, now)
    if (!key) return new Response(null, { status: 403 })
    const pool = watch.subject === EVENTS ? poolOf(key) : null
    if (pool !== null && this.countStreams(pool, watch.streamId, now) >= MAX_EVENT_STREAMS) {
      return new Response(null, { status: 429 })
    }
    const message = this.#messageFor(key, watch)
    if (message === null) return new Response(null, { status: 404 })
    const { 0: theirs, 1: ours } = new WebSocketPair()
    ours.serializeAttachment({ ...watch, openedAt: now } satisfies Watching)
    this.#ctx.acceptWebSocket(ours, pool === null ? [watch.subject] : [EVENTS, streamsOf(pool)])
    if (watch.seen !== this.#versionOf(watch)) ours.send(message)
    return new Response(null, { status: 101, webSocket: theirs })
  }

  /** How many streams of events are open, apart from one. */
  countStreams(pool: KeyPool, exceptId: string | null, now: number): number {
    const streams = this.#ctx.getWebSockets(streamsOf(pool)).map(watchingOf)
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
      const watching = watchingOf(socket)
      if (isStale(watching, now)) {
        socket.close()
        return
      }
      const key = this.#rows.keys.live(watching.keyHash, now)
      const message = key && this.#messageFor(key, watching)
      if (message === null) socket.close(WATCH_IS_OVER)
      else socket.send(message)
    } catch (cause) {
      // Its Worker asks again within a minute.
      console.warn('a watcher was not told', cause)
    }
  }

  /** null: there is nothing to watch. */
  #messageFor(key: ApiKey, { subject }: WatchRequest): string | null {
    if (subject === EVENTS) return mayUse(key, 'read') ? `${lastEventNumber(this.#rows.sql)}` : null
    const read = isId('batch', subject) ? batchSnapshot : snapshotOf
    const found = read(this.#rows, key, subject)
    return found.ok ? JSON.stringify(found.value) : null
  }

  #versionOf({ subject }: WatchRequest): number {
    const { sql, progress } = this.#rows
    return subject === EVENTS ? lastEventNumber(sql) : progress.versionOf(subject)
  }
}

const streamsOf = (pool: KeyPool): string => `streams ${pool}`

const watchingOf = (socket: WebSocket): Watching => socket.deserializeAttachment()

const isStale = ({ openedAt }: Watching, now: number): boolean => openedAt + STALE_MS <= now
