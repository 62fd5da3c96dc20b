import { Account } from './actors/caller.ts'
import { EventReader } from './actors/event-reader.ts'
import { createSteps } from './actors/false-steps.ts'
import { RECEIVER_HOST, Receiver } from './actors/receiver.ts'
import { SOURCE_HOST, sources } from './actors/sources.ts'
import type { Scene } from './acts/act.ts'
import { type ActKind, actOf, type PlannedAct, planOf } from './acts/plan.ts'
import { BEGINNING } from './clock.ts'
import { type FaultClass, type FaultRates, ratesOf } from './faults/fault-classes.ts'
import { Faults } from './faults/faults.ts'
import { allInvariants } from './invariants/all-invariants.ts'
import type { Liveness } from './invariants/liveness.ts'
import type { Seen, Sql, Violation } from './invariants/seen.ts'
import { createRandom } from './random.ts'
import { Story } from './story.ts'
import { PUBLIC_URL, World } from './world.ts'

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
/** How far virtual time may go until all has ended. A job's deadline is eight hours. */
const REST_MS = 10 * HOUR
const LOOK_MS = 10 * SECOND
const AFTER_RETENTION_MS = 8 * DAY

const adminHeaders = { authorization: 'Bearer admin-token', 'content-type': 'application/json' }

/** One history: callers and operators act while faults happen, then everything comes to rest, and time passes. */
export const runHistory = async (options: HistoryOptions): Promise<HistoryResult> => {
  const { seed, acts: count = ACTS, keep = null } = options
  const random = createRandom(seed)
  const rates = ratesOf(random.fork('rates'), options.faults)
  let world: World | null = null
  const story = new Story(options.isTold ?? false, () => (world ? world.clock.now - BEGINNING : 0))
  const faults = new Faults(rates, random.fork('faults'), story)
  // Accounts are made before anything fails.
  faults.isOn = false
  const receiver = new Receiver(faults)
  const opened = () => {
    if (!world) throw new Error('the world is not open yet')
    return world
  }
  const steps = createSteps({ faults, story, bucket: () => opened().bucket })
  const checks = new Checks(story)
  const hooks = faults.hooks()
  const objects = {
    ...hooks.objects,
    onCommit: (namespace: string, object: string) => {
      if (namespace === 'ACCOUNTS') checks.atCommit(object)
      hooks.objects?.onCommit?.(namespace, object)
    },
    onError: (where: string, cause: unknown) => story.tell(where, () => `threw ${cause}`),
  }
  const onLog = (level: string, texts: unknown[]) => story.tell('log', () => `${level}: ${texts.join(' ')}`)
  world = new World({ seed, engines: steps, hooks: { ...hooks, objects, onLog } })
  try {
    world.internet.serve(SOURCE_HOST, sources)
    world.internet.serve(RECEIVER_HOST, receiver.handle)
    const accounts = await openAccounts(world, story, random.fork('accounts').between(1, ACCOUNTS))
    const readers = new Map(
      accounts.map((account) => [account.id, new EventReader(account, random.fork(account.owner.name))]),
    )
    checks.begin({ world, accounts, readers, receiver, runs: steps.runs, blamed: faults })
    for (const account of accounts) startReading(world, account, readers.get(account.id))
    await world.clock.run({ until: world.clock.now + 5 * SECOND })

    const lastsMs = random.fork('length').between(2, 8) * MINUTE
    const plan = planOf(random.fork('plan'), { count, accounts: accounts.length, lastsMs })
    const done: Record<string, number> = {}
    let open = 0
    for (const act of plan) {
      if (keep && !keep.has(act.name)) continue
      open += 1
      const account = accounts[act.account]
      if (!account) continue
      world.clock.schedule(act.atMs, account.owner, 'act', () => {
        done[act.kind] = (done[act.kind] ?? 0) + 1
        story.tell(account.id, () => `ACT ${act.name}: ${act.kind}`)
        const ended = () => {
          open -= 1
        }
        actOf(act.kind)
          .run(sceneOf(opened(), account, random.fork(act.name), act.name))
          .then(ended, ended)
      })
    }
    faults.isOn = true
    faults.attach(world)
    const actsEndAt = world.clock.now + lastsMs
    await runLooking(world, checks, actsEndAt, () => options.stopsEarly === true && checks.violations.length > 0)
    faults.isOn = false
    recover(world)
    checks.calmSince = world.clock.now
    const restBy = world.clock.now + REST_MS
    const isEarly = () => options.stopsEarly === true && checks.violations.length > 0
    const restWhen = async (isAtRest: () => boolean) => {
      const isOver = () => isAtRest() || isEarly()
      while (!isOver() && opened().clock.now < restBy) await runLooking(opened(), checks, restBy, isOver)
    }
    await restWhen(() => open === 0 && checks.haveJobsEnded())
    // Readers get what happened last.
    await world.clock.run({ until: world.clock.now + 2 * MINUTE })
    for (const reader of readers.values()) reader.isStopped = true
    await restWhen(() => checks.isAtRest())
    await world.clock.run({ until: world.clock.now + MINUTE })
    await checks.atRest(world)
    await world.clock.run({ until: world.clock.now + AFTER_RETENTION_MS })
    await checks.atEnd(world)
    return {
      ...{ violations: checks.violations, acts: done, plan, faults: faults.counts, rates, story },
      ...{ events: world.clock.events, commits: checks.commits, jobs: checks.jobs, ms: world.clock.now - BEGINNING },
    }
  } finally {
    world.close()
  }
}

/** Runs invariants, and collects what they find. */
class Checks {
  readonly violations: Violation[] = []
  readonly #told = new Set<string>()
  readonly #invariants = allInvariants()
  readonly #story: Story
  #seen: Seen | null = null
  commits = 0
  calmSince = Number.POSITIVE_INFINITY

  constructor(story: Story) {
    this.#story = story
  }

  begin(parts: Omit<Seen, 'sqlOf' | 'broken'>): void {
    const { world } = parts
    const sqlOf = (accountId: string) =>
      (world.namespaces.ACCOUNTS.storage(accountId)?.sqlDatabase ?? null) as Sql | null
    this.#seen = { ...parts, sqlOf, broken: (...found) => this.#broken(world, ...found) }
  }

  atCommit(accountId: string): void {
    this.commits += 1
    const sql = this.#seen?.sqlOf(accountId)
    if (!this.#seen || !sql) return
    for (const { atCommit } of this.#invariants) atCommit?.(this.#seen, accountId, sql)
  }

  look(): void {
    if (!this.#seen) return
    for (const invariants of this.#invariants) (invariants as Liveness).look?.(this.#seen, this.calmSince)
  }

  /** All jobs and batches have ended. */
  haveJobsEnded(): boolean {
    return this.#sumOf('json_array_length(open_jobs) + json_array_length(open_batches)') === 0
  }

  /** All deliveries have ended too, and what tells of everything has been sent. */
  isAtRest(): boolean {
    const waiting = "(SELECT count(*) FROM outbox) + (SELECT count(*) FROM deliveries WHERE state = 'pending')"
    return this.haveJobsEnded() && this.#sumOf(waiting) === 0
  }

  /** Of the value in each account. */
  #sumOf(value: string): number {
    const { accounts = [], sqlOf } = this.#seen ?? {}
    return accounts.reduce((sum, { id }) => {
      const sql = sqlOf?.(id)
      return sum + (sql ? sql.exec<{ value: number }>(`SELECT ${value} AS value FROM account`).one().value : 0)
    }, 0)
  }

  get jobs(): number {
    return this.#sumOf('(SELECT count(*) FROM jobs)')
  }

  async atRest(world: World): Promise<void> {
    const seen = this.#seen
    if (!seen) return
    for (const { atRest } of this.#invariants) {
      if (atRest) await world.perform(world.caller('monitor'), async () => atRest(seen))
    }
  }

  async atEnd(world: World): Promise<void> {
    const seen = this.#seen
    if (!seen) return
    for (const { atEnd } of this.#invariants) {
      if (atEnd) await world.perform(world.caller('monitor'), async () => atEnd(seen))
    }
  }

  #broken({ clock }: World, rule: string, subject: string, text: string): void {
    if (this.#told.has(`${rule} ${subject}`)) return
    this.#told.add(`${rule} ${subject}`)
    this.violations.push({ rule, subject, text, atMs: clock.now - BEGINNING })
    this.#story.tell(subject, () => `BROKEN ${rule}: ${text}`)
  }
}

const runLooking = async (world: World, checks: Checks, until: number, isOver: () => boolean): Promise<void> => {
  while (world.clock.now < until && !isOver()) {
    await world.clock.run({ until: Math.min(until, world.clock.now + LOOK_MS) })
    checks.look()
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
    const opened = await world.perform(operator, async () => {
      const body = JSON.stringify({ name, creditDollars: 20 })
      const response = await world.request(`${PUBLIC_URL}/admin/accounts`, {
        method: 'POST',
        headers: adminHeaders,
        body,
      })
      return JSON.parse(await response.text()).data as { accountId: string; apiKey: string }
    })
    accounts.push(new Account(world, story, { id: opened.accountId, apiKey: opened.apiKey, name }))
  }
  return accounts
}

const startReading = (world: World, { owner }: Account, reader: EventReader | undefined): void => {
  world.clock.schedule(0, owner, 'read events', () => void reader?.read())
}

const sceneOf = (world: World, account: Account, random: Scene['random'], name: string): Scene => ({
  ...{ world, account, random, name },
  operate: async (method, path, body) => {
    try {
      const init = { method, headers: adminHeaders, ...(body && { body: JSON.stringify(body) }) }
      const response = await world.request(`${PUBLIC_URL}${path}`, init)
      return { status: response.status, text: await response.text() }
    } catch (cause) {
      return { status: 0, text: `${cause}` }
    }
  },
})

export type { ActKind, FaultClass }
