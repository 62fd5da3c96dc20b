/**
 * The container's places: each running step and each running probe has one. A step gets a place at once or not at all,
 * because its queue message comes again. A probe waits in line, because a caller waits for it: a freed place is the
 * first probe's that may have it.
 *
 * An account never has all places of a container that others share, and at most two probes run for it.
 */
export interface Places {
  /** null: the container is full, or the account has as many places as it may have. */
  take(accountId: string | undefined): Place | null
  /** null: the line is full, or the signal aborted before the probe's turn. */
  takeForProbe(accountId: string | undefined, signal: AbortSignal): Promise<Place | null>
  readonly taken: number
}

export interface Place {
  free(): void
}

const MAX_PROBES_OF_ACCOUNT = 2
/** Longer lines would not get through in the twenty seconds that a probe has. */
const MAX_WAITING = 64
const MAX_WAITING_OF_ACCOUNT = 8

interface Holder {
  accountId: string | undefined
  isProbe: boolean
}

interface Waiting {
  accountId: string | undefined
  grant(place: Place): void
}

export const createPlaces = (capacity: number): Places => {
  const holders = new Set<Holder>()
  const line = new Set<Waiting>()
  /** An earlier version of the Worker names no account. Its requests have only the limits of the container. */
  const ofAccount = <Item extends { accountId: string | undefined }>(all: Set<Item>, accountId: string | undefined) =>
    accountId === undefined ? [] : [...all].filter((item) => item.accountId === accountId)
  const mayHave = ({ accountId, isProbe }: Holder): boolean => {
    const held = ofAccount(holders, accountId)
    if (holders.size >= capacity || (capacity > 1 && held.length >= capacity - 1)) return false
    return !isProbe || held.filter((holder) => holder.isProbe).length < MAX_PROBES_OF_ACCOUNT
  }
  const takeFor = (holder: Holder): Place | null => {
    if (!mayHave(holder)) return null
    holders.add(holder)
    return {
      free: () => {
        if (holders.delete(holder)) grantToLine()
      },
    }
  }
  const grantToLine = () => {
    for (const waiting of line) {
      const place = takeFor({ accountId: waiting.accountId, isProbe: true })
      if (!place) continue
      line.delete(waiting)
      waiting.grant(place)
    }
  }
  return {
    // No probe that may have a place is ever left waiting for it, so a step passes no one.
    take: (accountId) => takeFor({ accountId, isProbe: false }),
    takeForProbe: (accountId, signal) => {
      if (signal.aborted) return Promise.resolve(null)
      const place = takeFor({ accountId, isProbe: true })
      if (place) return Promise.resolve(place)
      const isFull = line.size >= MAX_WAITING || ofAccount(line, accountId).length >= MAX_WAITING_OF_ACCOUNT
      if (isFull) return Promise.resolve(null)
      return new Promise((resolve) => {
        const leave = () => {
          line.delete(waiting)
          resolve(null)
        }
        const waiting: Waiting = {
          accountId,
          grant: (place) => {
            signal.removeEventListener('abort', leave)
            resolve(place)
          },
        }
        line.add(waiting)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
    get taken() {
      return holders.size
    },
  }
}
