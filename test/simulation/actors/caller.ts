import type { Owner } from '../clock.ts'
import { sleep } from '../sleep.ts'
import type { Story } from '../story.ts'
import { PUBLIC_URL, type World } from '../world.ts'

/** A response, as far as callers look at it. null: nothing came back. */
export interface Answer {
  status: number
  body: Record<string, never> & { data?: never }
}

export interface Ask {
  body?: object
  headers?: Record<string, string>
  /** Sent again with the same key until there is an answer. */
  idempotencyKey?: string
}

/** What a page of a search has shown. */
export interface Search {
  sentAt: number
  answeredAt: number
  /** Of a key that sees only its own jobs. */
  keyId: string | null
  jobIds: string[]
}

const REPEATS = 6
const REPEAT_MS = 2_000

/** What an account's callers have been told, and must find to be true. */
export class Account {
  readonly id: string
  readonly owner: Owner
  readonly #world: World
  readonly #story: Story
  #apiKey: string
  /** Jobs by their id, as they were accepted. */
  readonly jobs: { id: string; kind: 'import' | 'transcribe' }[] = []
  readonly batches: string[] = []
  readonly uploads: string[] = []
  readonly watches: { id: string; list: string }[] = []
  /** Watches of which something that waited was dropped. */
  readonly dropped = new Set<string>()
  /** How long streams were open after the ends of their jobs and batches, until they told of them. */
  readonly told: { path: string; lateMs: number }[] = []
  /** When the time for their speech was over, by the ids of their jobs. */
  readonly outOfTime = new Map<string, number>()
  /** When a removal of a key was answered. */
  readonly removedKeys = new Map<string, number>()
  readonly searches: Search[] = []
  /** When a cancellation or removal of a job was answered. */
  readonly goneAt = new Map<string, number>()
  /** When rebuilds of the index were asked for, which were accepted. */
  readonly rebuiltAt: number[] = []
  /** When the storage of the index was lost last. */
  indexLostAt: number | null = null
  /** Without its credentials, nobody can clean up in the bucket. */
  hasRemovedBucket = false
  /** What each Idempotency-Key was answered with. */
  readonly startedWith = new Map<string, Set<string>>()

  constructor(world: World, story: Story, { id, apiKey, name }: { id: string; apiKey: string; name: string }) {
    this.#world = world
    this.#story = story
    this.id = id
    this.#apiKey = apiKey
    this.owner = world.caller(name)
  }

  get apiKey(): string {
    return this.#apiKey
  }

  async ask(method: string, path: string, ask: Ask = {}): Promise<Answer | null> {
    const { idempotencyKey } = ask
    const isRepeatable = method === 'GET' || idempotencyKey !== undefined
    for (let tries = 1; ; tries++) {
      const answer = await this.#askOnce(method, path, ask)
      const isBusy = answer !== null && answer.status >= 500
      if ((answer && !isBusy) || !isRepeatable || tries === REPEATS) return answer
      await sleep(REPEAT_MS * tries)
    }
  }

  /** Starts a job or a batch, and remembers what was accepted. */
  async start(path: '/import' | '/transcribe' | '/batches', body: object, idempotencyKey?: string) {
    const answer = await this.ask('POST', path, { body, ...(idempotencyKey !== undefined && { idempotencyKey }) })
    if (answer?.status !== 202) return null
    const { jobId, batchId } = answer.body.data as unknown as { jobId?: string; batchId?: string }
    const id = jobId ?? batchId ?? ''
    if (batchId !== undefined) this.batches.push(batchId)
    else this.jobs.push({ id, kind: path === '/import' ? 'import' : 'transcribe' })
    if (idempotencyKey !== undefined) {
      const known = this.startedWith.get(idempotencyKey) ?? new Set()
      this.startedWith.set(idempotencyKey, known.add(id))
    }
    return id
  }

  /** A request with another body than JSON. */
  async send(path: string, body: string, headers: Record<string, string>): Promise<number | null> {
    try {
      const init = { method: 'POST', headers: { authorization: `Bearer ${this.#apiKey}`, ...headers }, body }
      const response = await this.#world.request(`${PUBLIC_URL}${path}`, init)
      const text = await response.text()
      this.#story.tell(this.id, () => `POST ${path} → ${response.status} ${text.slice(0, 300)}`)
      return response.status
    } catch (cause) {
      this.#story.tell(this.id, () => `POST ${path} → ${cause}`)
      return null
    }
  }

  /** A stream of server-sent events, until it breaks or `ms` have passed. */
  async listen(path: string, ms: number, onMessage: (message: StreamMessage) => void, lastEventId?: string) {
    const headers = { authorization: `Bearer ${this.#apiKey}`, ...(lastEventId && { 'last-event-id': lastEventId }) }
    const gone = new AbortController()
    const timer = setTimeout(() => gone.abort(new Error('the reader has gone')), ms)
    try {
      const response = await this.#world.request(`${PUBLIC_URL}${path}`, { headers, signal: gone.signal })
      if (response.status !== 200 || !response.body) return
      await readMessages(response.body.getReader(), gone.signal, onMessage)
    } catch {
      // The stream broke. The next one goes on after the last message.
    } finally {
      clearTimeout(timer)
      gone.abort(new Error('the reader has gone'))
    }
  }

  async #askOnce(method: string, path: string, { body, headers = {}, idempotencyKey }: Ask): Promise<Answer | null> {
    const init = {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    }
    try {
      const response = await this.#world.request(`${PUBLIC_URL}${path}`, init)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('application/json')
      this.#story.tell(this.id, () => `${method} ${path} ${init.body ?? ''} → ${response.status} ${text.slice(0, 300)}`)
      if (method === 'DELETE' && response.status < 300) this.#noteGone(path)
      return { status: response.status, body: isJson ? JSON.parse(text) : {} }
    } catch (cause) {
      this.#story.tell(this.id, () => `${method} ${path} → ${cause}`)
      return null
    }
  }

  #noteGone(path: string): void {
    const [, id] = /^\/jobs\/([^/]+)$/.exec(path) ?? []
    if (id !== undefined && !this.goneAt.has(id)) this.goneAt.set(id, this.#world.clock.now)
  }
}

export interface StreamMessage {
  id: string | null
  event: string | null
  data: string
}

const readMessages = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
  onMessage: (message: StreamMessage) => void,
): Promise<void> => {
  let text = ''
  const decoder = new TextDecoder()
  const { promise: gone, reject } = Promise.withResolvers<never>()
  gone.catch(() => {})
  signal.addEventListener('abort', () => reject(signal.reason))
  for (;;) {
    const { value, done } = await Promise.race([reader.read(), gone]).catch(async (cause) => {
      await reader.cancel(cause).catch(() => {})
      throw cause
    })
    if (done) return
    text += decoder.decode(value, { stream: true })
    const messages = text.split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages) onMessage(messageOf(message))
  }
}

const messageOf = (text: string): StreamMessage => {
  const message: StreamMessage = { id: null, event: null, data: '' }
  for (const line of text.split(/[\r\n]/)) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (field === 'id' || field === 'event') message[field] = value
    if (field === 'data') message.data += value
  }
  return message
}
