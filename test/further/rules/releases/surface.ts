import type { DurableObject } from 'cloudflare:workers'
import type { DeliveryMessage, StepMessage } from '../../../../worker/account/queue-messages.ts'
import type * as worker from '../../../../worker/index.ts'

/**
 * What the Worker and its objects say to each other: the methods of each class of objects, and the messages of queues. The
 * declaration of this file spells all types out, so that a digest of each method can be kept (rpc-digests.ts). For that, each
 * type is made from its parts: TypeScript would declare a part that it had copied by its name.
 */
type Plain<T> = [
  | Strings<Extract<T, string>>
  | Numbers<Extract<T, number>>
  | Extract<T, Constant>
  | Structure<Exclude<T, string | number | Constant>>,
] extends [infer Parts]
  ? Parts
  : never

type Constant = boolean | null | undefined | ReturnType<() => void>

type Strings<T extends string> = string extends T ? string : { [Each in T]: Each }[T]

/** An amount of money is declared as a number. */
type Numbers<T extends number> = [T] extends [never] ? never : [T] extends [{ unit: string }] ? number : T

type Structure<T> = T extends readonly (infer Item)[]
  ? number extends T['length']
    ? Plain<Item>[]
    : { [Index in keyof T]: Plain<T[Index]> }
  : T extends (...args: infer Args) => infer Result
    ? (...args: { [Index in keyof Args]: Plain<Args[Index]> }) => Plain<Awaited<Result>>
    : T extends Map<infer Key, infer Value>
      ? Map<Plain<Key>, Plain<Value>>
      : Fields<T>

type OptionalName<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T]

type Fields<T> = [OptionalName<T>] extends [never]
  ? { [Name in Exclude<keyof T, never>]: Plain<T[Name]> }
  : { [Name in Exclude<keyof T, OptionalName<T>>]: Plain<T[Name]> } & {
      [Name in OptionalName<T>]?: Plain<Exclude<T[Name], undefined>>
    }

type Methods<T> = Omit<T, keyof DurableObject | 'state'>

interface Messages {
  step: (message: StepMessage) => void
  delivery: (message: DeliveryMessage) => void
}

const plain = <T>(): Plain<T> => null as never

export const AccountObject = plain<Methods<worker.AccountObject>>()
export const FleetObject = plain<Methods<worker.FleetObject>>()
export const EngineObject = plain<Pick<worker.EngineObject, 'state' | 'launch' | 'shutDown'>>()
export const MetricsObject = plain<Methods<worker.MetricsObject>>()
export const WordsObject = plain<Methods<worker.WordsObject>>()
export const messages = plain<Messages>()
