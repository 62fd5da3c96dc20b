import type { AccountState } from './account-state.ts'

/** What an act works with: the account, at the time of the act. */
export interface Acting extends AccountState {
  now: number
}

/** The account comes first, then what the caller of the method sends. */
export type Act<Args extends unknown[], Answer> = (account: AccountState, ...args: Args) => Answer

/** One transaction: a refusal is returned and commits, a fault is thrown and undoes it. */
export const act =
  <Args extends unknown[], T>(rule: (acting: Acting, ...args: Args) => T): Act<Args, Promise<T>> =>
  (account, ...args) =>
    account.clockwork.act((now) => rule({ ...account, now }, ...args))

/** Changes nothing. */
export const readAct =
  <Args extends unknown[], T>(rule: (acting: Acting, ...args: Args) => T): Act<Args, Promise<T>> =>
  (account, ...args) =>
    Promise.resolve(account.clockwork.read((now) => rule({ ...account, now }, ...args)))

type MethodsOf<Acts> = {
  [Name in keyof Acts]: Acts[Name] extends Act<infer Args, infer Answer> ? (...args: Args) => Answer : never
}

type AccountClass = abstract new (...args: never) => { readonly state: AccountState }

/** The class with a method for each act. They are on the prototype, so they can be called over RPC. */
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
