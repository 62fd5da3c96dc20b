import type { StartedWatch, Watch, WatchChanges, WatchItem, WatchItemFilter, WatchRequest } from './api-types.ts'
import { entriesOf, Group, pathOf, startRequest } from './http/connection.ts'
import type { CallOptions, ListOptions, StartOptions } from './options.ts'

export class Watches extends Group {
  /**
   * Follows a feed, a channel, a playlist or a page, and imports or transcribes what is new. With neither `import` nor
   * `transcribe`, it only tells, by events and webhooks.
   *
   * ```ts
   * const { watchId } = await haul.watches.create({
   *   url: 'https://example.com/feed.xml',
   *   transcribe: { mode: 'auto' },
   *   maxCostDollarsPerMonth: 20,
   * })
   * ```
   */
  create(watch: WatchRequest, { idempotencyKey, ...options }: StartOptions = {}): Promise<StartedWatch> {
    return this.connection.call(options, startRequest('/watches', watch, idempotencyKey))
  }

  get(watchId: string, options: CallOptions = {}): Promise<Watch> {
    return this.connection.call(options, { path: pathOf('watches', watchId) })
  }

  /** Watches, newest first. */
  list(options: ListOptions = {}): AsyncIterableIterator<Watch> {
    return entriesOf(this.connection, '/watches', 'watches', options)
  }

  /** The items of a watch, newest first. */
  items(watchId: string, options: WatchItemFilter & ListOptions = {}): AsyncIterableIterator<WatchItem> {
    return entriesOf(this.connection, `${pathOf('watches', watchId)}/items`, 'items', options)
  }

  /** Fields that are left out stay as they are. null removes what is optional. */
  update(watchId: string, changes: WatchChanges, options: CallOptions = {}): Promise<Watch> {
    return this.connection.call(options, { method: 'PATCH', path: pathOf('watches', watchId), body: changes })
  }

  pause(watchId: string, options: CallOptions = {}): Promise<Watch> {
    return this.update(watchId, { paused: true }, options)
  }

  /** Ends any pause, and takes what waits. `update(watchId, { waiting: 'drop' })` marks it instead. */
  resume(watchId: string, options: CallOptions = {}): Promise<Watch> {
    return this.update(watchId, { paused: false }, options)
  }

  /** Reads the list now. The service refuses this within a minute of the last poll, and then the call waits. */
  poll(watchId: string, options: CallOptions = {}): Promise<Watch> {
    return this.connection.call(options, { method: 'POST', path: `${pathOf('watches', watchId)}/poll` })
  }

  /** Its jobs go on, and its items are forgotten. */
  remove(watchId: string, options: CallOptions = {}): Promise<void> {
    return this.connection.call(options, { method: 'DELETE', path: pathOf('watches', watchId) })
  }
}
