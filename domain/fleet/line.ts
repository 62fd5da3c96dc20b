import type { Work } from '../protocol/protocol.ts'
import { MAX_PROBES_OF_ACCOUNT } from './fleet-limits.ts'
import { Heap } from './heap.ts'
import { keyOf, type PlaceRequest, type Rank, ranks, type StepKey, type Waiting } from './place.ts'

/**
 * The steps that wait, and whose turn it is. By rank first. Within a rank the account with the fewest places, and
 * among equals the one whose last turn is longest ago: an account that starts to wait begins behind those that wait
 * already. Within an account first come, first served.
 *
 * Steps are grouped by work, rank and size on disk (powers of two), so that a step whose disk space is not free holds
 * up only steps of about its size. To find the next step is O(groups), about 30 at most; to add, remove or place one is
 * O(log waiting), in each group in which its account waits.
 */
export interface Account {
  id: string
  places: Record<Work, number>
  probePlaces: number
  probesWaiting: number
  turn: Record<Work, number>
  queues: Map<Group, Queue>
}

/** The steps of one account in one group. */
interface Queue {
  account: Account
  work: Work
  steps: Heap<Waiting>
}

/** The accounts that wait with steps of the same work, rank and size. */
type Group = Heap<Queue>

const SMALLEST_SIZE = 64_000_000

const sizeOf = (diskBytes: number): number =>
  diskBytes <= 0 ? 0 : 1 + Math.max(0, Math.ceil(Math.log2(diskBytes / SMALLEST_SIZE)))

const cameFirst = (a: Waiting, b: Waiting): boolean => (a.since === b.since ? a.order < b.order : a.since < b.since)

const hasTurnBefore = (a: Queue, b: Queue): boolean => {
  const fewer = a.account.places[a.work] - b.account.places[b.work]
  if (fewer !== 0) return fewer < 0
  const earlier = a.account.turn[a.work] - b.account.turn[b.work]
  if (earlier !== 0) return earlier < 0
  const [first, second] = [a.steps.top, b.steps.top]
  return first !== undefined && second !== undefined && cameFirst(first, second)
}

export class Line {
  readonly #waiting = new Map<string, Waiting>()
  readonly #accounts = new Map<string, Account>()
  readonly #groups: Record<Work, Record<Rank, Map<number, Group>>> = {
    network: { probe: new Map(), job: new Map(), batch: new Map() },
    cpu: { probe: new Map(), job: new Map(), batch: new Map() },
  }
  readonly #counts: Record<Work, number> = { network: 0, cpu: 0 }
  #diskBytes = 0
  #clock = 0
  #probesWaiting = 0

  /** The account's counts, also if none of its steps waits. */
  account(id: string): Account {
    const known = this.#accounts.get(id)
    if (known) return known
    const none = { network: 0, cpu: 0 }
    const account = { id, places: { ...none }, probePlaces: 0, probesWaiting: 0, turn: none, queues: new Map() }
    this.#accounts.set(id, account)
    return account
  }

  get(step: StepKey): Waiting | undefined {
    return this.#waiting.get(keyOf(step))
  }

  values(): Iterable<Waiting> {
    return this.#waiting.values()
  }

  count(work: Work): number {
    return this.#counts[work]
  }

  /** How many places would serve all steps that wait. A probe beyond what its account may have does not count. */
  neededPlaces(work: Work): number {
    let tooMany = 0
    for (const group of this.#groups[work].probe.values()) {
      for (const { account, steps } of group.values()) {
        tooMany += Math.max(0, steps.size + account.probePlaces - MAX_PROBES_OF_ACCOUNT)
      }
    }
    return this.#counts[work] - tooMany
  }

  /** What all waiting steps need together. */
  get diskBytes(): number {
    return this.#diskBytes
  }

  get probesWaiting(): number {
    return this.#probesWaiting
  }

  probesWaitingOf(accountId: string): number {
    return this.#accounts.get(accountId)?.probesWaiting ?? 0
  }

  /** `hadTurn`: it could not start when its turn had come, so its account does not wait for another one. */
  add(request: PlaceRequest, since: number, hadTurn = false): void {
    const order = ++this.#clock
    this.#add({ ...request, since, order }, hadTurn ? 0 : order)
  }

  /** A step needs more or less disk space than before, or has had another lease. It keeps its position. */
  change(waiting: Waiting, { diskBytes, leases }: Pick<PlaceRequest, 'diskBytes' | 'leases'>): void {
    const turn = this.account(waiting.accountId).turn[waiting.work]
    this.remove(waiting)
    this.#add({ ...waiting, diskBytes, leases }, turn)
  }

  /** `turn`: of the account, if nothing of it waits yet. */
  #add(waiting: Waiting, turn: number): void {
    const { accountId, work } = waiting
    const account = this.account(accountId)
    if (![...account.queues.values()].some((queue) => queue.work === work)) account.turn[work] = turn
    this.#waiting.set(keyOf(waiting), waiting)
    this.#count(waiting, account, 1)
    const group = this.#groupOf(waiting)
    const queue = account.queues.get(group) ?? { account, work, steps: new Heap(cameFirst) }
    account.queues.set(group, queue)
    queue.steps.add(waiting)
    group.add(queue)
  }

  remove(waiting: Waiting): void {
    if (!this.#waiting.delete(keyOf(waiting))) return
    const account = this.account(waiting.accountId)
    this.#count(waiting, account, -1)
    const group = this.#groupOf(waiting)
    const queue = account.queues.get(group)
    if (!queue) return
    queue.steps.delete(waiting)
    if (queue.steps.size > 0) {
      group.update(queue)
    } else {
      group.delete(queue)
      account.queues.delete(group)
      this.#forget(account)
    }
  }

  /** One place more or less. A place more was the account's turn. */
  countPlace({ accountId, work, rank }: PlaceRequest, change: 1 | -1): void {
    const account = this.account(accountId)
    account.places[work] += change
    if (rank === 'probe') account.probePlaces += change
    if (change > 0) account.turn[work] = ++this.#clock
    for (const [group, queue] of account.queues) if (queue.work === work) group.update(queue)
    this.#forget(account)
  }

  /** The next step that may run and fits. `isStuck` is called with those that do not fit and would be next. */
  next(
    work: Work,
    {
      mayRun,
      fits,
      isStuck,
    }: {
      mayRun: (account: Account, rank: Rank) => boolean
      fits: (waiting: Waiting) => boolean
      isStuck: (waiting: Waiting) => void
    },
  ): Waiting | null {
    for (const rank of ranks) {
      let next: Queue | null = null
      for (const group of this.#groups[work][rank].values()) {
        const queue = group.first(({ account }) => mayRun(account, rank))
        const step = queue?.steps.top
        if (!queue || !step) continue
        if (!fits(step)) isStuck(step)
        else if (!next || hasTurnBefore(queue, next)) next = queue
      }
      if (next?.steps.top) return next.steps.top
    }
    return null
  }

  #groupOf({ work, rank, diskBytes }: Waiting): Group {
    const groups = this.#groups[work][rank]
    const size = sizeOf(diskBytes)
    const group = groups.get(size) ?? new Heap(hasTurnBefore)
    groups.set(size, group)
    return group
  }

  #count({ work, rank, diskBytes }: Waiting, account: Account, change: 1 | -1): void {
    this.#counts[work] += change
    this.#diskBytes += change * diskBytes
    if (rank !== 'probe') return
    account.probesWaiting += change
    this.#probesWaiting += change
  }

  #forget({ id, places, queues }: Account): void {
    if (places.network + places.cpu === 0 && queues.size === 0) this.#accounts.delete(id)
  }
}
