import type { Clock, Owner } from '../clock.ts'

/** The platform cancels what an invocation still does so long after its response, or the end of its handler. */
const WAIT_UNTIL_MS = 30_000

export interface Invocation<T> {
  readonly owner: Owner
  /** Never settles after a kill: `onKill` says so instead. */
  readonly result: Promise<T>
}

/**
 * One run of the Worker's code. It lives until its result and everything in `waitUntil` are settled. `settle` is called in
 * an event of nobody.
 */
export const invoke = <T>(
  clock: Clock,
  name: string,
  { skewMs = 0, onError }: { skewMs?: number; onError?: ((where: string, cause: unknown) => void) | undefined },
  run: (ctx: object) => Promise<T> | T,
): Invocation<T> => {
  const owner = clock.newOwner('invocation', name, skewMs)
  let open = 1
  const close = () => {
    open -= 1
    if (open === 0) clock.kill(owner)
  }
  const ctx = {
    waitUntil: (promise: Promise<unknown>) => {
      open += 1
      Promise.resolve(promise).then(close, (cause) => {
        onError?.(`waitUntil of ${name}`, cause)
        close()
      })
    },
    passThroughOnException: () => {},
    props: {},
  }
  const result = clock.as(owner, async () => run(ctx))
  const ended = () => {
    if (open > 1) {
      const limit = clock.schedule(WAIT_UNTIL_MS, null, 'end of waitUntil', () => clock.kill(owner))
      owner.onDeath.add(() => clock.cancel(limit))
    }
    close()
  }
  result.then(ended, ended)
  return { owner, result }
}
