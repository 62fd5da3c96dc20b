import type { ProviderSlot, ServiceName } from '../../domain/jobs/providers.ts'
import type { AccountRows } from './account-rows.ts'
import type { JobLease } from './calls.ts'
import type { Scheduler } from './due/scheduler.ts'
import type { AccountFounding } from './founding.ts'
import type { JobRow } from './jobs/job-rows.ts'
import type { WaitingWorkers } from './waiting/waiting-workers.ts'

export interface AccountState {
  rows: AccountRows
  founding: AccountFounding
  waiting: WaitingWorkers
  scheduler: Scheduler
  leaseMs: number
  /** The service that is behind a third-party provider now. */
  serviceOf(provider: ProviderSlot): ServiceName
}

export interface Acting extends AccountState {
  now: number
}

/** The account is the first parameter, followed by the arguments of the call. */
export type Act<Args extends unknown[], Answer> = (account: AccountState, ...args: Args) => Answer

/** The transaction commits when the rule returns, even a refusal, and rolls back when it throws. */
export const act =
  <Args extends unknown[], T>(rule: (acting: Acting, ...args: Args) => T): Act<Args, Promise<T>> =>
  (account, ...args) =>
    account.scheduler.act((now) => rule({ ...account, now }, ...args))

/** If the lease is lost, nothing changes, and the answer is `lost`. */
export const leasedAct = <Args extends unknown[], T, Lost>(
  lost: Lost,
  rule: (acting: Acting, job: JobRow, ...args: Args) => T,
): Act<[lease: JobLease, ...args: Args], Promise<T | Lost>> =>
  act((acting, lease, ...args) => {
    const job = acting.rows.findLeasedJob(lease, acting.now)
    return job ? rule(acting, job, ...args) : lost
  })

export const readAct =
  <Args extends unknown[], T>(rule: (acting: Acting, ...args: Args) => T): Act<Args, Promise<T>> =>
  (account, ...args) =>
    Promise.resolve(account.scheduler.read((now) => rule({ ...account, now }, ...args)))

type MethodsOf<Acts> = {
  [Name in keyof Acts]: Acts[Name] extends Act<infer Args, infer Answer> ? (...args: Args) => Answer : never
}

type AccountClass = abstract new (...args: never) => { readonly state: AccountState }

/** Adds a method for each act to the prototype of the class, where RPC finds it. */
export const withMethods = <Base extends AccountClass, Acts extends object>(
  base: Base,
  acts: Acts,
): (abstract new (
  ...args: ConstructorParameters<Base>
) => InstanceType<Base> & MethodsOf<Acts>) => {
  for (const [name, run] of Object.entries(acts)) {
    const value = function (this: InstanceType<AccountClass>, ...args: unknown[]) {
      return run(this.state, ...args)
    }
    Object.defineProperty(base.prototype, name, { value, writable: true, configurable: true })
  }
  return base as never
}
