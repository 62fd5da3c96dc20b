import type { Clock } from '../clock.ts'

/** What happens to one call on its way. */
export interface CallFault {
  lose?: 'request' | 'response'
  requestDelayMs?: number
  responseDelayMs?: number
  /** The object refuses it, because too many others wait. */
  isOverloaded?: boolean
}

/** The two ways of a call. Each is an event, so the caller or the called part may die in between. */
export class Wire {
  readonly clock: Clock
  readonly latencyMs: () => number

  constructor(clock: Clock, latencyMs: () => number) {
    this.clock = clock
    this.latencyMs = latencyMs
  }

  /** The request arrives even if the caller has died since. The answer of the dead is dropped. */
  call<T>(label: string, fault: CallFault | undefined, lost: () => Error, serve: () => T | Promise<T>): Promise<T> {
    const { clock } = this
    const caller = clock.owner
    return new Promise<T>((resolve, reject) => {
      const answer = (act: () => void) => {
        const delayMs = this.latencyMs() + (fault?.responseDelayMs ?? 0)
        const isLost = fault?.lose === 'response'
        clock.schedule(delayMs, caller, label, isLost ? () => reject(lost()) : act)
      }
      clock.schedule(this.latencyMs() + (fault?.requestDelayMs ?? 0), null, label, () => {
        if (fault?.lose === 'request') return answer(() => reject(lost()))
        let served: T | Promise<T>
        try {
          served = serve()
        } catch (cause) {
          return answer(() => reject(cause))
        }
        if (!(served instanceof Promise)) return answer(() => resolve(served))
        served.then(
          (value) => answer(() => resolve(value)),
          (cause) => answer(() => reject(cause)),
        )
      })
    })
  }
}
