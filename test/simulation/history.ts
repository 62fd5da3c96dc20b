import { Account } from './actors/caller.ts'
import { BUCKET_HOST, CallersBucket } from './actors/callers-bucket.ts'
import { EventReader } from './actors/event-reader.ts'
import { createSteps, type Steps } from './actors/false-steps.ts'
import { openAccount, operate } from './actors/operator.ts'
import { RECEIVER_HOST, Receiver } from './actors/receiver.ts'
import { SOURCE_HOST, sources } from './actors/sources.ts'
import { SpeechProviders } from './actors/speech-providers.ts'
import { LIST_HOST } from './actors/watched-list.ts'
import { WatchedLists } from './actors/watched-lists.ts'
import type { Scene } from './acts/act.ts'
import { actOf, type PlannedAct, planOf } from './acts/plan.ts'
import { areWatchesQuiet, haveWatches, pauseWatches, settleWatches } from './acts/settle-watches.ts'
import { Checks } from './checks.ts'
import { BEGINNING } from './clock.ts'
import { type FaultClass, type FaultRates, ratesOf } from './faults/fault-classes.ts'
import { Faults } from './faults/faults.ts'
import type { Violation } from './invariants/seen.ts'
import { createRandom, type Random } from './random.ts'
import { Story } from './story.ts'
import { World, type WorldHooks } from './world.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface HistoryOptions {
  seed: string
  /** How many acts. */
  acts?: number
  /** Only faults of these classes. null: as the seed says. */
  faults?: readonly FaultClass[] | null
  /** Only these acts, by name. */
  keep?: ReadonlySet<string> | null
  isTold?: boolean
  /** Stops at the first violation. */
  stopsEarly?: boolean
  /** Replaces variables of wrangler.toml. */
  vars?: Record<string, string>
  /** A statement that the product runs in D1, or in an object of this namespace. */
  onStatement?(database: string, text: string, bindings: readonly unknown[]): void
}

export interface HistoryResult {
  violations: Violation[]
  acts: Record<string, number>
  /** The names of the acts that were planned. */
  plan: PlannedAct[]
  faults: Record<FaultClass, number>
  rates: FaultRates
  events: number
  commits: number
  jobs: number
  /** Virtual. */
  ms: number
  story: Story
}

const ACTS = 100
const ACCOUNTS = 4
const CREDIT_DOLLARS = 20
/** How far virtual time may go until all has ended. Items may wait a day for an account to regain free work. */
const REST_MS = 48 * HOUR
const LOOK_MS = 10 * SECOND
const CRON_MS = 5 * MINUTE
const AFTER_RETENTION_MS = 8 * DAY
/**
 * A history has about 15,000. Where an item waits for more than a day, the requests of the readers of events make it a
 * million. With so many, something goes on without end.
 */
const MAX_EVENTS = 3_000_000

/** One history: callers and operators act while faults happen, then everything comes to rest, and time passes. */
export const runHistory = async (options: HistoryOptions): Promise<HistoryResult> => {
  const history = new History(options)
  try {
    return await history.run()
  } finally {
    history.close()
  }
}

/** The history is over before its end: it was to stop at the first violation, or goes on without end. */
class Over extends Error {}

class History {
  readonly #options: HistoryOptions
  readonly #random: Random
  readonly #rates: FaultRates
  readonly #story: Story
  readonly #faults: Faults
  readonly #receiver: Receiver
  readonly #steps: Steps
  readonly #checks: Checks
  readonly #world: World
  readonly #bucket: CallersBucket
  readonly #providers: SpeechProviders
  readonly #lists: WatchedLists
  #accounts: Account[] = []
  readonly #claims = new Map<string, number>()
  readonly #readers = new Map<string, EventReader>()
  readonly #done: Record<string, number> = {}
  /** Acts that have not ended. */
  #open = 0
  #cronAt = BEGINNING

  constructor(options: HistoryOptions) {
    const { seed, faults = null, isTold = false, vars = {} } = options
    this.#options = options
    this.#random = createRandom(seed)
    this.#story = new Story(isTold, () => this.#sinceBeginning())
    this.#rates = ratesOf(this.#random.fork('rates'), faults)
    this.#faults = new Faults(this.#rates, this.#random.fork('faults'), this.#story)
    this.#receiver = new Receiver(this.#faults)
    this.#checks = new Checks(this.#story)
    this.#lists = new WatchedLists(() => this.#world.clock, this.#random.fork('lists'), this.#faults)
    this.#steps = createSteps({
      ...{ faults: this.#faults, story: this.#story, lists: this.#lists },
      world: () => this.#world,
    })
    this.#world = new World({ seed, engines: this.#steps, hooks: this.#hooks(), vars })
    this.#world.internet.serve(SOURCE_HOST, sources)
    this.#world.internet.serve(LIST_HOST, this.#lists.handle)
    this.#world.internet.serve(RECEIVER_HOST, this.#receiver.handle)
    this.#bucket = new CallersBucket(this.#world.clock, this.#faults)
    this.#world.internet.serve(BUCKET_HOST, this.#bucket.handle)
    this.#providers = new SpeechProviders(this.#faults)
    for (const [host, handle] of Object.entries(this.#providers.handlers)) this.#world.internet.serve(host, handle)
  }

  async run(): Promise<HistoryResult> {
    const { acts: count = ACTS } = this.#options
    const accounts = await this.#begin()
    this.#accounts = accounts
    const lastsMs = this.#random.fork('length').between(1, 4) * MINUTE
    const plan = planOf(this.#random.fork('plan'), { count, accounts: accounts.length, lastsMs })
    this.#schedule(plan, accounts)
    try {
      await this.#live(lastsMs)
      await this.#rest()
      await this.#pass(AFTER_RETENTION_MS)
      await this.#checks.atEnd(this.#world)
    } catch (cause) {
      if (!(cause instanceof Over)) throw cause
    }
    const { violations, commits, jobs } = this.#checks
    const { events } = this.#world.clock
    const counts = { acts: this.#done, faults: this.#faults.counts, rates: this.#rates, events, commits, jobs }
    return { violations, plan, story: this.#story, ms: this.#sinceBeginning(), ...counts }
  }

  close(): void {
    this.#world.close()
  }

  #sinceBeginning(): number {
    return (this.#world?.clock.now ?? BEGINNING) - BEGINNING
  }

  #hooks(): WorldHooks {
    const hooks = this.#faults.hooks()
    const { onStatement } = this.#options
    return {
      ...hooks,
      objects: {
        ...hooks.objects,
        onCommit: (namespace, object) => {
          if (namespace === 'ACCOUNTS') this.#checks.atCommit(object)
          hooks.objects?.onCommit?.(namespace, object)
        },
        onCall: (call) => {
          const [, , place, attempt] = call.args
          if (call.method === 'claim' && typeof attempt === 'number') this.#claims.set(`${place}`, attempt)
          return hooks.objects?.onCall?.(call)
        },
        ...(onStatement && { onStatement }),
        onError: (where, cause) => this.#story.tell(where, () => `threw ${cause}`),
      },
      database: {
        ...hooks.database,
        ...(onStatement && { onStatement: (text, bindings) => onStatement('DB', text, bindings) }),
      },
      onLog: (level, texts) => this.#story.tell('log', () => `${level}: ${texts.join(' ')}`),
    }
  }

  /** Accounts are made, and their events read, before anything fails. */
  async #begin(): Promise<Account[]> {
    this.#faults.isOn = false
    const world = this.#world
    const accounts = await openAccounts(world, this.#story, this.#random.fork('accounts').between(1, ACCOUNTS))
    for (const account of accounts) {
      const reader = new EventReader(account, this.#random.fork(account.owner.name))
      this.#readers.set(account.id, reader)
      world.clock.schedule(0, account.owner, 'read events', () => void reader.read())
    }
    const seen = {
      world,
      accounts,
      readers: this.#readers,
      receiver: this.#receiver,
      bucket: this.#bucket,
      providers: this.#providers,
      lists: this.#lists,
      runs: this.#steps.runs,
    }
    const neverFail = (...classes: FaultClass[]) => classes.every((name) => this.#rates[name] === 0)
    this.#checks.begin({ ...seen, blamed: this.#faults, claims: this.#claims, neverFail })
    await world.clock.run({ until: world.clock.now + 5 * SECOND })
    return accounts
  }

  #schedule(plan: readonly PlannedAct[], accounts: readonly Account[]): void {
    const { keep = null } = this.#options
    for (const { name, kind, account: index, atMs } of plan) {
      const account = accounts[index]
      if (!account || (keep && !keep.has(name))) continue
      this.#open += 1
      const scene = sceneOf(this.#world, this.#lists, account, this.#random.fork(name), name)
      const ended = () => {
        this.#open -= 1
      }
      this.#world.clock.schedule(atMs, account.owner, 'act', () => {
        this.#done[kind] = (this.#done[kind] ?? 0) + 1
        this.#story.tell(account.id, () => `ACT ${name}: ${kind}`)
        actOf(kind).run(scene).then(ended, ended)
      })
    }
  }

  async #live(lastsMs: number): Promise<void> {
    this.#faults.isOn = true
    this.#faults.attach(this.#world)
    const until = this.#world.clock.now + lastsMs
    await this.#passUntil(() => this.#world.clock.now >= until)
  }

  /** Nothing fails any more, and all that was begun ends. */
  async #rest(): Promise<void> {
    this.#faults.isOn = false
    recover(this.#world)
    this.#checks.calmSince = this.#world.clock.now
    await this.#passUntil(() => this.#open === 0 && this.#checks.haveJobsEnded())
    await this.#settle()
    // Readers get what happened last.
    await this.#pass(2 * MINUTE)
    for (const reader of this.#readers.values()) reader.isStopped = true
    await this.#passUntil(() => this.#checks.isAtRest())
    await this.#pass(MINUTE)
    await this.#checks.atRest(this.#world)
  }

  /** What watches have found is taken, and then they are paused: otherwise they would go on for ever. */
  async #settle(): Promise<void> {
    const settling = {
      world: this.#world,
      accounts: this.#accounts,
      lists: this.#lists,
      pass: (ms: number) => this.#pass(ms),
    }
    if (!haveWatches(settling)) return
    await settleWatches(settling)
    await this.#passUntil(() => this.#checks.haveJobsEnded() && areWatchesQuiet(settling))
    await this.#checks.watchesAtRest(this.#world)
    await pauseWatches(settling)
    await this.#passUntil(() => this.#checks.haveJobsEnded())
  }

  /** Looks again and again, for at most REST_MS. */
  async #passUntil(isOver: () => boolean): Promise<void> {
    const until = this.#world.clock.now + REST_MS
    while (this.#world.clock.now < until && !isOver()) {
      await this.#pass(LOOK_MS)
      this.#checks.look()
    }
  }

  /** The cron runs every five minutes. In long times of rest it runs seldom, which is the same to the product, and faster. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.#world
    const until = clock.now + ms
    while (clock.now < until) {
      if (this.#cronAt <= clock.now) {
        this.#world.runCron()
        this.#cronAt = clock.now + (ms > HOUR ? 6 * HOUR : CRON_MS)
      }
      await this.#run(Math.min(until, this.#cronAt))
    }
  }

  async #run(until: number): Promise<void> {
    const { clock } = this.#world
    const { violations } = this.#checks
    const stopsEarly = this.#options.stopsEarly ?? false
    const goesOn = () => clock.events < MAX_EVENTS && !(stopsEarly && violations.length > 0)
    await clock.run({ until, while: goesOn })
    if (clock.events >= MAX_EVENTS) this.#checks.broken('everything comes to rest', 'history', `${MAX_EVENTS} events`)
    if (!goesOn()) throw new Over()
  }
}

/** Operators repair what is broken. */
const recover = (world: World): void => {
  for (const process of world.containers.processes()) {
    process.isCutOff = false
    process.isOutdated = false
    if (process.owner.isFrozen) process.wake()
  }
}

const openAccounts = async (world: World, story: Story, count: number): Promise<Account[]> => {
  const accounts: Account[] = []
  const operator = world.caller('operator')
  for (let index = 0; index < count; index++) {
    const name = `account-${index}`
    const { accountId, apiKey } = await world.perform(operator, () => openAccount(world, name, CREDIT_DOLLARS))
    accounts.push(new Account(world, story, { id: accountId, apiKey, name }))
  }
  return accounts
}

const sceneOf = (
  world: World,
  lists: WatchedLists,
  account: Account,
  random: Scene['random'],
  name: string,
): Scene => ({
  ...{ world, lists, account, random, name },
  operate: async (method, path, body) => {
    try {
      const response = await operate(world, method, path, body)
      return { status: response.status, text: await response.text() }
    } catch (cause) {
      return { status: 0, text: `${cause}` }
    }
  },
})
