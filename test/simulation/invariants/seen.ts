import type { Account } from '../actors/caller.ts'
import type { CallersBucket } from '../actors/callers-bucket.ts'
import type { EventReader } from '../actors/event-reader.ts'
import type { StepRun } from '../actors/false-work.ts'
import type { Receiver } from '../actors/receiver.ts'
import type { SpeechProviders } from '../actors/speech-providers.ts'
import type { WatchedLists } from '../actors/watched-lists.ts'
import type { FaultClass } from '../faults/fault-classes.ts'
import type { Blamed } from '../faults/faults.ts'
import type { World } from '../world.ts'

export interface Violation {
  /** The rule that does not hold. */
  rule: string
  /** The job, account or engine. */
  subject: string
  text: string
  /** Virtual ms since the beginning. */
  atMs: number
}

/** A row of SQLite. */
export type Row = Record<string, string | number | null>

/** SQLite of an account, for reading. */
export interface Sql {
  exec<T extends Row>(query: string, ...bindings: unknown[]): { one(): T; toArray(): T[] }
}

/** What invariants look at. */
export interface Seen {
  world: World
  accounts: readonly Account[]
  readers: ReadonlyMap<string, EventReader>
  receiver: Receiver
  bucket: CallersBucket
  providers: SpeechProviders
  lists: WatchedLists
  runs: readonly StepRun[]
  blamed: Blamed
  /** Faults of these classes do not happen in this history. */
  neverFail(...classes: FaultClass[]): boolean
  /** The number of the attempt when the fleet claimed a step, by the id of the place. */
  claims: ReadonlyMap<string, number>
  /** null: the account's object has never been called. */
  sqlOf(accountId: string): Sql | null
  /** The rule is broken. Each rule is told once for each subject. */
  broken(rule: string, subject: string, text: string): void
}

/** Rules of one subject. `atCommit`: after each change of an account. `atRest`: all jobs have ended and nothing is on its way. */
export interface Invariants {
  atCommit?(seen: Seen, accountId: string, sql: Sql): void
  /** Watches have taken what is new. */
  watchesAtRest?(seen: Seen): void | Promise<void>
  atRest?(seen: Seen): void | Promise<void>
  /** After the retention of media and of the history. */
  atEnd?(seen: Seen): void | Promise<void>
}

/** Expects every value to be 0. */
export const expectZeros = (seen: Seen, accountId: string, faults: Record<string, number | null>): void => {
  for (const name in faults) {
    if (faults[name] !== 0) seen.broken(`books: ${name}`, accountId, `${faults[name]} instead of 0`)
  }
}

/** Each account that has its object. */
export const eachAccount = ({ accounts, sqlOf }: Seen, look: (account: Account, sql: Sql) => void): void => {
  for (const account of accounts) {
    const sql = sqlOf(account.id)
    if (sql) look(account, sql)
  }
}
