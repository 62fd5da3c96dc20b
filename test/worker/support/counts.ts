import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { onTestFinished } from 'vitest'
import { metricsOf } from '../../../worker/metrics/metrics-of.ts'
import type { Caller } from './caller.ts'

/** What an account has used that is billed by the piece. */
export interface Counts {
  /** Rows that the account's object and its reports wrote: each index of a table and each alarm that is set is one. */
  objectRows: number
  /** Calls to the account's object, and its reports, by method. Runs of its alarm are requests too. */
  objectRequests: Record<string, number>
  d1Rows: number
  /** Each is written, read and deleted. */
  queueMessages: number
}

export const sumOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Replaces a method until the end of the test. */
const replace = (target: object, name: string, wrap: (method: Method) => Method): void => {
  const before = Object.getOwnPropertyDescriptor(target, name)
  const method = Reflect.get(target, name) as Method
  Object.defineProperty(target, name, { value: wrap(method), configurable: true, writable: true })
  onTestFinished(() => {
    if (before) Object.defineProperty(target, name, before)
    else Reflect.deleteProperty(target, name)
  })
}

/** The prototypes of the object's class down to the one of the runtime. */
const prototypesOf = (object: object): object[] => {
  const prototypes: object[] = []
  for (let each = Object.getPrototypeOf(object); each.constructor.name !== 'DurableObject'; ) {
    prototypes.push(each)
    each = Object.getPrototypeOf(each)
  }
  return prototypes
}

/** The state of an object, which its class keeps from tests. */
const stateOf = (object: object): DurableObjectState => (object as { ctx: DurableObjectState }).ctx

/** What one object was asked and has written. */
interface ObjectUse {
  rows: number
  /** By method. Runs of its alarm are requests too. */
  requests: Record<string, number>
}

type Stub = DurableObjectStub<Rpc.DurableObjectBranded & DurableObject>

/**
 * Counts what one object does from now until the end of the test, in the runtime itself: the cursors of its database and
 * the calls that reach it. `counts`: which calls are counted, by their arguments.
 */
export const countObject = async (stub: unknown, counts = (_arguments: unknown[]) => true): Promise<ObjectUse> => {
  const use: ObjectUse = { rows: 0, requests: {} }
  /** Rows of calls that are not counted. Such calls are synchronous. */
  let isCounted = true
  const counted = new WeakSet<object>()
  /** The runtime may evict an object and make it again, with another storage. */
  const countRows = (object: object): void => {
    if (counted.has(object)) return
    counted.add(object)
    const { storage } = stateOf(object)
    replace(
      storage.sql,
      'exec',
      (exec) =>
        function (...args) {
          const cursor = exec.apply(this, args) as SqlStorageCursor<never>
          if (isCounted) use.rows += cursor.rowsWritten
          return cursor
        },
    )
    replace(
      storage,
      'setAlarm',
      (setAlarm) =>
        function (...args) {
          use.rows += 1
          return setAlarm.apply(this, args)
        },
    )
  }
  await runInDurableObject(stub as Stub, (object, { id }) => {
    countRows(object)
    for (const prototype of prototypesOf(object)) {
      for (const name of Object.getOwnPropertyNames(prototype)) {
        if (name === 'constructor') continue
        replace(
          prototype,
          name,
          (method) =>
            function (...args) {
              if (!stateOf(this as object).id.equals(id)) return method.apply(this, args)
              countRows(this as object)
              if (counts(args)) {
                use.requests[name] = (use.requests[name] ?? 0) + 1
                return method.apply(this, args)
              }
              isCounted = false
              try {
                return method.apply(this, args)
              } finally {
                isCounted = true
              }
            },
        )
      }
    }
  })
  return use
}

/** What the account's reports use in the metrics object that it shares with others. */
const countReports = (accountId: string): Promise<ObjectUse> =>
  countObject(
    metricsOf(env, accountId),
    ([report]) => (report as { accountId?: string } | undefined)?.accountId === accountId,
  )

/** Counts what one account uses from now until the end of the test: of its object, its reports, D1 and the queue of steps. */
export const countUse = async ({ accountId, account }: Pick<Caller, 'accountId' | 'account'>): Promise<Counts> => {
  const object = await countObject(account)
  const reports = await countReports(accountId)
  const counts = {
    get objectRows() {
      return object.rows + reports.rows
    },
    get objectRequests() {
      return { ...object.requests, ...reports.requests }
    },
    d1Rows: 0,
    queueMessages: 0,
  }
  const { prototype: statement } = Object.getPrototypeOf(env.DB.prepare('SELECT 1')).constructor
  replace(
    statement,
    'run',
    (run) =>
      async function (...args) {
        const result = (await run.apply(this, args)) as D1Result
        if ((this as { params?: unknown[] }).params?.includes(accountId)) counts.d1Rows += result.meta.rows_written
        return result
      },
  )
  replace(
    Object.getPrototypeOf(env.STEPS),
    'send',
    (send) =>
      function (...args) {
        if ((args[0] as { accountId?: string }).accountId === accountId) counts.queueMessages += 1
        return send.apply(this, args)
      },
  )
  return counts
}
