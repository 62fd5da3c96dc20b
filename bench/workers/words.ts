import { wordsKey } from '../../domain/media/media-keys.ts'
import type { Segment } from '../../domain/words/segment.ts'
import { storedTranscript } from '../../domain/words/transcript-body.ts'
import type { WordsToFind } from '../../worker/account/search/words-to-find.ts'
import { WordsObject } from '../../worker/search/words-object.ts'
import type { Added, Found, Recording, Search, Use } from '../search/measures.ts'
import { speechOf } from '../search/speech.ts'

/** The product's index of words, of an account whose recordings are made up. It counts what it does. */
interface WordsEnv {
  WORDS: DurableObjectNamespace<MeasuredWords>
}

const FROM = Date.parse('2026-01-01T00:00:00Z')
const HOUR_MS = 3_600_000
const WATCHES = 20

export class MeasuredWords extends WordsObject {
  readonly #account: MadeUpAccount
  readonly #cursors: SqlStorageCursor<never>[] = []

  constructor(ctx: DurableObjectState, env: WordsEnv) {
    const account = new MadeUpAccount()
    super(ctx, { ...env, ACCOUNTS: { getByName: () => account }, MEDIA: account } as unknown as Env)
    this.#account = account
    this.#countRows()
  }

  setSentences(sentences: string[]): void {
    this.#account.sentences = sentences
  }

  async add(recordings: Recording[]): Promise<Added> {
    let bytes = 0
    const use = await this.#measured(async () => {
      for (const recording of recordings) bytes = (await this.update(this.#account.idOf(recording))).bytes
    })
    return { ...use, bytes }
  }

  remove(recording: Recording): Promise<Use> {
    const jobId = this.#account.idOf(recording)
    this.#account.removed.add(jobId)
    return this.#measured(async () => {
      while (!(await this.update(jobId)).isDone);
    })
  }

  async find(asked: Search): Promise<Found> {
    const request = { ...asked, facts: [], jobId: null, createdFrom: null, createdBefore: null, cursor: null }
    let found = 0
    const use = await this.#measured(async () => {
      found = this.search(request).passages.length
    })
    return { ...use, found }
  }

  async #measured(work: () => Promise<unknown>): Promise<Use> {
    const { sql } = this.ctx.storage
    const changes = () => sql.exec<{ count: number }>('SELECT total_changes() AS count').one().count
    const before = changes()
    this.#cursors.length = 0
    const from = performance.now()
    const busyMs = await longestBusyMs(work)
    const ms = performance.now() - from
    const sum = (of: (cursor: SqlStorageCursor<never>) => number) =>
      this.#cursors.reduce((total, cursor) => total + of(cursor), 0)
    const [rowsWritten, rowsRead] = [sum((cursor) => cursor.rowsWritten), sum((cursor) => cursor.rowsRead)]
    return { ms, busyMs, rowsWritten, rowsRead, changes: changes() - before }
  }

  #countRows(): void {
    const { sql } = this.ctx.storage
    const exec = sql.exec.bind(sql)
    sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
      const cursor = exec(query, ...bindings)
      this.#cursors.push(cursor as SqlStorageCursor<never>)
      return cursor
    }) as SqlStorage['exec']
  }
}

/** A timer of the object waits for what it does, and for SQLite's commits. */
const longestBusyMs = async (work: () => Promise<unknown>): Promise<number> => {
  let [isDone, longest] = [false, 0]
  const watch = async (): Promise<void> => {
    while (!isDone) {
      const from = performance.now()
      await scheduler.wait(1)
      longest = Math.max(longest, performance.now() - from - 1)
    }
  }
  const watching = watch()
  try {
    await work()
  } finally {
    isDone = true
  }
  await watching
  return longest
}

/** In the place of the account and of the bucket. */
class MadeUpAccount {
  sentences: string[] = []
  readonly removed = new Set<string>()
  readonly #recordings = new Map<string, Recording>()
  readonly #stored = new Map<string, Uint8Array<ArrayBuffer>>()

  idOf(recording: Recording): string {
    const jobId = `trn_${`${recording.number}`.padStart(26, '0')}`
    this.#recordings.set(jobId, recording)
    return jobId
  }

  wordsToFind(jobId: string): WordsToFind | null {
    const recording = this.#recordings.get(jobId)
    if (!recording || this.removed.has(jobId)) return null
    const { number, hours } = recording
    const { body, ...layout } = storedTranscript(speechOf(this.sentences, number, hours) as Segment[])
    const named = { step: 'recognize', attempt: 1, secret: 'secret', source: 'builtin' } as const
    const about = { language: 'en', title: null, chapters: [], durationSeconds: layout.endSeconds }
    const transcript = { ...layout, ...named, ...about }
    this.#stored.clear()
    this.#stored.set(wordsKey(jobId, transcript), body as Uint8Array<ArrayBuffer>)
    return {
      transcript,
      title: `Recording ${number}`,
      createdAt: FROM + number * HOUR_MS,
      keyId: 'key_1',
      watchId: `watch_${number % WATCHES}`,
      metadata: { show: `${number % WATCHES}` },
    }
  }

  async get(key: string) {
    const stored = this.#stored.get(key)
    return stored ? { body: new Response(stored).body, size: stored.length } : null
  }
}

export default {
  /** Calls a method of the object: `[name, argument]`. */
  async fetch(request, env): Promise<Response> {
    if (request.method !== 'POST') return new Response('ok')
    const [name, argument] = await request.json<['add', never]>()
    const result = await env.WORDS.getByName('words')[name](argument)
    return Response.json(result ?? null)
  },
} satisfies ExportedHandler<WordsEnv>
