import type { Clock, ClockEvent } from '../clock.ts'
import { copyOf } from './copy.ts'
import { invoke } from './invocation.ts'
import type { CallFault, Wire } from './wire.ts'

/** A consumer of wrangler.toml, with its defaults. */
export interface ConsumerSettings {
  queue: string
  max_batch_size?: number
  /** Seconds. */
  max_batch_timeout?: number
  max_retries?: number
  dead_letter_queue?: string
  max_concurrency?: number | null
}

export interface QueueHooks {
  /** `lose: 'request'`: the send is refused. `lose: 'response'`: it was done, and the sender sees an error. */
  onSend?(queue: string): CallFault | undefined
  /** What happens to an accepted message. */
  onMessage?(queue: string): { lose?: boolean; copies?: number; delayMs?: number } | undefined
  /** Called with the owner of each delivery. */
  onDelivery?(queue: string, kill: () => void): void
  onError?(where: string, cause: unknown): void
  skewMs?(name: string): number
}

interface Message {
  id: string
  body: unknown
  sentAt: number
  attempts: number
}

interface SendOptions {
  delaySeconds?: number
}

/** What the Worker is called with. */
export interface Batch {
  queue: string
  messages: object[]
  ackAll(): void
  retryAll(options?: SendOptions): void
}

type Consume = (batch: Batch, ctx: object) => Promise<void>

/** https://developers.cloudflare.com/queues/platform/limits/ */
const CONSUMER_MS = 15 * 60_000
const MAX_CONCURRENCY = 250

/** The account's queues with their consumers. Messages arrive at least once, and in no certain order. */
export class Queues {
  readonly #queues = new Map<string, Queue>()
  readonly #wire: Wire
  readonly #hooks: QueueHooks
  #lastId = 0

  constructor(wire: Wire, consumers: ConsumerSettings[], consume: Consume, hooks: QueueHooks) {
    this.#wire = wire
    this.#hooks = hooks
    for (const settings of consumers) {
      const deadLetters = (message: Message) => this.#queues.get(settings.dead_letter_queue ?? '')?.add(message.body, 0)
      const nextId = () => `message-${++this.#lastId}`
      this.#queues.set(settings.queue, new Queue(wire.clock, settings, consume, deadLetters, hooks, nextId))
    }
  }

  /** The binding of a producer. */
  producer(name: string): object {
    const send = (messages: { body: unknown; delaySeconds?: number }[]): Promise<void> => {
      const bodies = messages.map(({ body, delaySeconds = 0 }) => ({ body: copyOf(body), delaySeconds }))
      const refused = () => new Error('Queue send failed: Too Many Requests')
      return this.#wire.call('send', this.#hooks.onSend?.(name), refused, () => {
        for (const { body, delaySeconds } of bodies) this.#queue(name).add(body, delaySeconds * 1_000)
      })
    }
    return {
      send: (body: unknown, options: SendOptions = {}) => send([{ body, ...options }]),
      sendBatch: (messages: Iterable<{ body: unknown; delaySeconds?: number }>, options: SendOptions = {}) =>
        send([...messages].map((message) => ({ ...options, ...message }))),
    }
  }

  #queue(name: string): Queue {
    const queue = this.#queues.get(name)
    if (!queue) throw new Error(`no consumer of the queue ${name}`)
    return queue
  }
}

class Queue {
  readonly #clock: Clock
  readonly #settings: Required<Omit<ConsumerSettings, 'dead_letter_queue' | 'max_concurrency'>> & {
    max_concurrency: number
  }
  readonly #consume: Consume
  readonly #deadLetter: (message: Message) => void
  readonly #hooks: QueueHooks
  readonly #nextId: () => string
  #ready: Message[] = []
  #running = 0
  /** Consumers. One is added when a batch has ended and more wait: https://developers.cloudflare.com/queues/configuration/consumer-concurrency/ */
  #consumers = 1
  #batchEvent: ClockEvent | null = null

  constructor(
    clock: Clock,
    settings: ConsumerSettings,
    consume: Consume,
    deadLetter: (message: Message) => void,
    hooks: QueueHooks,
    nextId: () => string,
  ) {
    this.#clock = clock
    const { queue, max_batch_size = 10, max_batch_timeout = 5, max_retries = 3, max_concurrency } = settings
    this.#settings = {
      queue,
      max_batch_size,
      max_batch_timeout,
      max_retries,
      max_concurrency: max_concurrency ?? MAX_CONCURRENCY,
    }
    this.#consume = consume
    this.#deadLetter = deadLetter
    this.#hooks = hooks
    this.#nextId = nextId
  }

  add(body: unknown, delayMs: number): void {
    const fate = this.#hooks.onMessage?.(this.#settings.queue) ?? {}
    if (fate.lose) return
    const message = { id: this.#nextId(), body, sentAt: this.#clock.now, attempts: 0 }
    for (let copy = 0; copy < (fate.copies ?? 1); copy++) {
      this.#makeReady({ ...message }, delayMs + (fate.delayMs ?? 0))
    }
  }

  #makeReady(message: Message, delayMs: number): void {
    this.#clock.schedule(delayMs, null, 'message', () => {
      this.#ready.push(message)
      this.#deliverSoon()
    })
  }

  /** A full batch is delivered at once, another one after the time that wrangler.toml says. */
  #deliverSoon(): void {
    const { max_batch_size, max_batch_timeout } = this.#settings
    if (this.#ready.length === 0 || this.#running >= this.#consumers) return
    if (this.#ready.length >= max_batch_size || max_batch_timeout === 0) {
      this.#deliver()
      return
    }
    this.#batchEvent ??= this.#clock.schedule(max_batch_timeout * 1_000, null, 'batch', () => {
      this.#batchEvent = null
      if (this.#ready.length > 0 && this.#running < this.#consumers) this.#deliver()
    })
  }

  #deliver(): void {
    const { queue, max_batch_size } = this.#settings
    const messages = this.#ready.splice(0, max_batch_size)
    this.#running += 1
    const marks = new Map<Message, { ack: true } | { retryMs: number }>()
    for (const message of messages) message.attempts += 1
    const mark = (message: Message, what: { ack: true } | { retryMs: number }) => {
      if (!marks.has(message)) marks.set(message, what)
    }
    const retryMs = ({ delaySeconds = 0 }: SendOptions = {}) => delaySeconds * 1_000
    const batch: Batch = {
      queue,
      messages: messages.map((message) => ({
        id: message.id,
        timestamp: new Date(message.sentAt),
        body: copyOf(message.body),
        attempts: message.attempts,
        ack: () => mark(message, { ack: true }),
        retry: (options?: SendOptions) => mark(message, { retryMs: retryMs(options) }),
      })),
      ackAll: () => {
        for (const message of messages) mark(message, { ack: true })
      },
      retryAll: (options) => {
        for (const message of messages) mark(message, { retryMs: retryMs(options) })
      },
    }
    let isOver = false
    const end = (isSuccess: boolean) => {
      if (isOver) return
      isOver = true
      this.#running -= 1
      for (const message of messages)
        this.#end(message, marks.get(message) ?? (isSuccess ? { ack: true } : { retryMs: 0 }))
      this.#scale()
      this.#deliverSoon()
    }
    const skewMs = this.#hooks.skewMs?.(queue) ?? 0
    const consume = async (ctx: object): Promise<void> => {
      try {
        await this.#consume(batch, ctx)
        end(true)
      } catch (cause) {
        this.#hooks.onError?.(`consumer of ${queue}`, cause)
        end(false)
      }
    }
    const { owner } = invoke(this.#clock, queue, { skewMs, onError: this.#hooks.onError }, consume)
    const limit = this.#clock.schedule(CONSUMER_MS, null, 'end of consumer', () => this.#clock.kill(owner))
    // What was acknowledged before a kill stays acknowledged.
    owner.onDeath.add(() => {
      this.#clock.cancel(limit)
      end(false)
    })
    this.#hooks.onDelivery?.(queue, () => this.#clock.kill(owner))
  }

  #scale(): void {
    const isBehind = this.#ready.length > 0
    this.#consumers = Math.min(this.#settings.max_concurrency, Math.max(1, this.#consumers + (isBehind ? 1 : -1)))
  }

  #end(message: Message, mark: { ack: true } | { retryMs: number }): void {
    if ('ack' in mark) return
    if (message.attempts > this.#settings.max_retries) this.#deadLetter(message)
    else this.#makeReady(message, mark.retryMs)
  }
}
