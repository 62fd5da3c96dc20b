import { BEGINNING } from './clock.ts'
import { allInvariants } from './invariants/all-invariants.ts'
import type { Liveness } from './invariants/liveness.ts'
import type { Seen, Sql, Violation } from './invariants/seen.ts'
import type { Story } from './story.ts'
import type { World } from './world.ts'

/** Runs invariants, and collects what they find. */
export class Checks {
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

  /** For what is no rule of one subject. */
  broken(rule: string, subject: string, text: string): void {
    this.#seen?.broken(rule, subject, text)
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
    const live = "(SELECT count(*) FROM jobs WHERE state IN ('queued', 'running'))"
    return this.#sumOf(`${live} + json_array_length(open_batches)`) === 0
  }

  /** All deliveries have ended too, and what tells of everything has been sent. */
  isAtRest(): boolean {
    const waiting =
      "(SELECT count(*) FROM due WHERE body IS NOT NULL OR kind = 'words') + (SELECT count(*) FROM deliveries WHERE state = 'pending')"
    return this.haveJobsEnded() && this.#sumOf(waiting) === 0 && this.#recorded() === this.jobs
  }

  /** The jobs that D1 has. */
  #recorded(): number {
    const { sqlDatabase } = this.#seen?.world.database ?? {}
    const query = 'SELECT count(*) AS jobs FROM jobs WHERE completed_at IS NOT NULL'
    return Number(sqlDatabase?.exec(query).toArray()[0]?.jobs ?? 0)
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

  /** Watches have taken what is new, and are not paused yet. */
  async watchesAtRest(world: World): Promise<void> {
    const seen = this.#seen
    if (!seen) return
    for (const { watchesAtRest } of this.#invariants) {
      if (watchesAtRest) await world.perform(world.caller('monitor'), async () => watchesAtRest(seen))
    }
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
