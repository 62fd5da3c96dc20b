import type { Clock, Owner } from '../clock.ts'

/** What happens to a message on its way: it is lost without a sign, or its connection breaks. */
export type MessageFault = 'lost' | 'broken'

interface Hooks {
  latencyMs(): number
  onMessage(): MessageFault | undefined
}

type Listener = (event: { data?: string; code?: number }) => void

/** One end of a WebSocket, as far as the product uses it: an object sends, and an invocation listens. */
export class SocketEnd {
  readonly #clock: Clock
  readonly #listeners: [type: string, listener: Listener][] = []
  #other: SocketEnd = this
  #attachment: unknown = null
  #hooks: Hooks | null = null
  #isClosed = false
  /** Who listens. null: nobody has accepted this end yet. */
  #owner: Owner | null = null
  #waiting: [type: string, event: Parameters<Listener>[0]][] = []
  #lastAt = 0
  onClosed: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  static pair(clock: Clock): { 0: SocketEnd; 1: SocketEnd } {
    const pair = { 0: new SocketEnd(clock), 1: new SocketEnd(clock) }
    pair[0].#other = pair[1]
    pair[1].#other = pair[0]
    return pair
  }

  /** The object takes this end. */
  acceptHibernating(hooks: Hooks): void {
    this.#hooks = hooks
  }

  /** An invocation takes this end, and its death closes it. */
  accept(): void {
    const owner = this.#clock.owner
    this.#owner = owner
    owner?.onDeath.add(() => this.close())
    for (const [type, event] of this.#waiting.splice(0)) this.#deliver(type, event)
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push([type, listener])
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value)
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment)
  }

  send(data: string): void {
    if (this.#isClosed) throw new TypeError("Can't call WebSocket send() after close().")
    const fault = this.#hooks?.onMessage()
    if (fault === 'broken') this.break()
    else if (fault === undefined) this.#other.#deliver('message', { data })
  }

  close(code = 1005): void {
    if (this.#isClosed) return
    this.#end()
    this.#other.#deliver('close', { code })
  }

  /** The connection is lost, or the object is reset. */
  break(): void {
    this.close(1006)
  }

  #end(): void {
    this.#isClosed = true
    this.onClosed()
  }

  /** In the order in which it was sent. */
  #deliver(type: string, event: Parameters<Listener>[0]): void {
    const isObjects = this.#hooks !== null
    if (!isObjects && this.#owner === null) {
      this.#waiting.push([type, event])
      return
    }
    const latencyMs = (this.#hooks ?? this.#other.#hooks)?.latencyMs() ?? 0
    this.#lastAt = Math.max(this.#lastAt, this.#clock.now + latencyMs)
    this.#clock.schedule(this.#lastAt - this.#clock.now, this.#owner, `socket ${type}`, () => {
      if (this.#isClosed) return
      if (type === 'close') this.#end()
      for (const [name, listener] of this.#listeners) if (name === type) listener(event)
    })
  }
}
