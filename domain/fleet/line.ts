import type { Work } from '../protocol/protocol.ts'
import { MAX_PROBES_OF_ACCOUNT, MAX_PROBES_WAITING, MAX_PROBES_WAITING_OF_ACCOUNT } from './fleet-limits.ts'
import { keyOf, type PlaceRequest, type StepKey, type WaitingRequest } from './place.ts'

export interface Account {
  id: string
  places: Record<Work, number>
  probePlaces: number
  steps: number
  /** How many turns it has had. When it begins to wait, this is brought close to that of the others. */
  turns: Record<Work, number>
  /** When its last turn was, or when it began to wait. */
  lastTurn: Record<Work, number>
}

/**
 * An account that got places while nobody waited lets those that come a moment later go first, by at most this many turns:
 * accounts that begin at the same time do not arrive at the same time.
 */
const MOST_TURNS_AHEAD = 2

export interface Waiting extends WaitingRequest {
  account: Account
  /** Grows with each step, because many have the same time. */
  order: number
  /** It could not start, and has no turn before this time. null: it has one. */
  restsUntil: number | null
}

export class Line {
  readonly #waiting = new Map<string, Waiting>()
  readonly #accounts = new Map<string, Account>()
  readonly #resting = new Set<Waiting>()
  readonly #counts = { network: 0, cpu: 0 }
  /** The fewest turns among those that waited when an account last got a place. */
  readonly #fewestTurns = { network: 0, cpu: 0 }
  #clock = 0

  get(step: StepKey): Waiting | undefined {
    return this.#waiting.get(keyOf(step))
  }

  values(): IteratorObject<Waiting> {
    return this.#waiting.values()
  }

  /** Those that rest, which are few: the steps of one engine, or those that wait for a deploy. */
  resting(): Waiting[] {
    return [...this.#resting]
  }

  get size(): number {
    return this.#waiting.size
  }

  has(work: Work): boolean {
    return this.#counts[work] > 0
  }

  hasRoomForProbe(accountId: string): boolean {
    const probes = [...this.values().filter(({ rank }) => rank === 'probe')]
    if (probes.length >= MAX_PROBES_WAITING) return false
    return probes.filter((probe) => probe.accountId === accountId).length < MAX_PROBES_WAITING_OF_ACCOUNT
  }

  /** What would serve all steps that have a turn. A probe beyond what its account may have does not count. */
  needs(): { places: Record<Work, number>; diskBytes: number } {
    const needs = { places: { network: 0, cpu: 0 }, diskBytes: 0 }
    const probes = new Map<Account, number>()
    for (const { account, rank, work, diskBytes, restsUntil } of this.values()) {
      if (restsUntil !== null) continue
      needs.diskBytes += diskBytes
      const probe = rank === 'probe' ? (probes.get(account) ?? account.probePlaces) + 1 : 0
      if (probe > MAX_PROBES_OF_ACCOUNT) continue
      if (probe > 0) probes.set(account, probe)
      needs.places[work]++
    }
    return needs
  }

  /** `restsUntil`: it could not start, and has its turn after that. */
  add(request: PlaceRequest, since: number, restsUntil: number | null = null): void {
    const { accountId, jobId, step, work, rank, diskBytes, attempt } = request
    const account = this.#account(accountId)
    const order = ++this.#clock
    const waiting = { accountId, jobId, step, work, rank, diskBytes, attempt, since, account, order, restsUntil }
    if (restsUntil === null) this.#beginTurn(waiting)
    else this.#resting.add(waiting)
    this.#waiting.set(keyOf(waiting), waiting)
    this.#counts[work]++
    account.steps++
  }

  /** A step that rested could not use its turn, so its account has the next one. */
  wake(waiting: Waiting): void {
    if (!this.#resting.delete(waiting)) return
    waiting.account.lastTurn[waiting.work] = 0
    waiting.account.turns[waiting.work] = this.#fewestTurns[waiting.work]
    waiting.restsUntil = null
  }

  remove(waiting: Waiting): void {
    if (!this.#waiting.delete(keyOf(waiting))) return
    this.#resting.delete(waiting)
    this.#counts[waiting.work]--
    waiting.account.steps--
    this.#forget(waiting.account)
  }

  /** One place more or less. A place more was the account's turn. */
  countPlace({ accountId, work, rank }: PlaceRequest, change: 1 | -1): void {
    const account = this.#account(accountId)
    account.places[work] += change
    if (rank === 'probe') account.probePlaces += change
    if (change > 0) {
      account.lastTurn[work] = ++this.#clock
      account.turns[work]++
      this.#countTurns(work)
    }
    this.#forget(account)
  }

  /** An account begins to wait when nothing else of it waits for such places. */
  #beginTurn({ account, work, order }: Waiting): void {
    const waits = (each: Waiting) => each.account === account && each.work === work && each.restsUntil === null
    if (account.steps > 0 && this.values().some(waits)) return
    const fewest = this.#fewestTurns[work]
    account.lastTurn[work] = order
    account.turns[work] = Math.min(Math.max(account.turns[work], fewest), fewest + MOST_TURNS_AHEAD)
  }

  #countTurns(work: Work): void {
    const waiting = this.values().filter((each) => each.work === work && each.restsUntil === null)
    const fewest = waiting.reduce(
      (least, { account }) => Math.min(least, account.turns[work]),
      Number.POSITIVE_INFINITY,
    )
    if (Number.isFinite(fewest)) this.#fewestTurns[work] = fewest
  }

  #account(id: string): Account {
    const known = this.#accounts.get(id)
    if (known) return known
    const none = () => ({ network: 0, cpu: 0 })
    const turns = { ...this.#fewestTurns }
    const account = { id, places: none(), probePlaces: 0, steps: 0, turns, lastTurn: none() }
    this.#accounts.set(id, account)
    return account
  }

  #forget({ id, places, steps }: Account): void {
    if (places.network + places.cpu + steps === 0) this.#accounts.delete(id)
  }
}
