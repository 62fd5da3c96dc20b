import type { Context } from 'hono'
import { jitteredBackoffMs } from '../../domain/retry.ts'
import { WAIT_HEADER, WAIT_IS_OVER, WAIT_RENEW_MS, type WaitRequest } from '../account/calls.ts'
import type { HttpEnv } from './request-context.ts'

/** Random, because all who wait for an object that is reset would come back at once. */
const REOPEN = { firstMs: 300, longestMs: 10_000 }

/** `over`: there is nothing to wait for any more, or the key has been revoked. null: nothing came in time. */
type Message = string | 'over' | null

/**
 * Waits for messages of the account about a subject: see account/waiting/waiting-workers.ts. A wait costs one request of
 * the object for each minute, and the object may sleep. `seen`: the version that the caller has, of which it needs no message.
 */
export class Wait {
  readonly #c: Context<HttpEnv>
  readonly #request: () => Omit<WaitRequest, 'keyHash'>
  #socket: WebSocket | null = null
  #openAt = 0
  #failures = 0
  #latest: Message = null
  #pausing: AbortController | null = null

  constructor(c: Context<HttpEnv>, request: () => Omit<WaitRequest, 'keyHash'>) {
    this.#c = c
    this.#request = request
  }

  /** The latest message that came since this was called before. */
  async next(until: number, signal?: AbortSignal): Promise<Message> {
    for (;;) {
      const latest = this.#latest
      const now = Date.now()
      if (latest !== null || now >= until || signal?.aborted) {
        if (latest !== 'over') this.#latest = null
        return latest
      }
      if (now >= this.#openAt) await this.open()
      else await this.#pause(Math.min(until, this.#openAt) - now, signal)
    }
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }

  /** `next` does this too. Whoever tells its client that nothing will be missed does it before. */
  async open(): Promise<void> {
    this.close()
    const { accountId, keyHash } = this.#c.get('caller')
    const headers = { Upgrade: 'websocket', [WAIT_HEADER]: JSON.stringify({ ...this.#request(), keyHash }) }
    try {
      const { webSocket } = await this.#c.env.ACCOUNTS.getByName(accountId).fetch('https://account/', { headers })
      if (webSocket === null) {
        this.#receive('over')
        return
      }
      this.#socket = webSocket
      webSocket.addEventListener('message', ({ data }) => this.#receive(`${data}`))
      webSocket.addEventListener('close', ({ code }) => this.#ended(webSocket, code))
      webSocket.addEventListener('error', () => this.#ended(webSocket))
      webSocket.accept()
      this.#failures = 0
      this.#openAt = Date.now() + WAIT_RENEW_MS
    } catch {
      this.#openLater()
    }
  }

  #receive(message: Message): void {
    this.#latest = message
    this.#pausing?.abort()
  }

  #ended(socket: WebSocket, code?: number): void {
    if (socket !== this.#socket) return
    this.close()
    if (code === WAIT_IS_OVER) this.#receive('over')
    else this.#openLater()
    this.#pausing?.abort()
  }

  #openLater(): void {
    this.#failures += 1
    this.#openAt = Date.now() + jitteredBackoffMs(this.#failures, REOPEN)
  }

  async #pause(ms: number, signal?: AbortSignal): Promise<void> {
    this.#pausing = new AbortController()
    const ends = signal ? AbortSignal.any([signal, this.#pausing.signal]) : this.#pausing.signal
    await scheduler.wait(ms, { signal: ends }).catch(() => {})
  }
}
