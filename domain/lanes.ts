/** Starts items in order. The first error aborts the running calls, and is thrown when they have ended. */
export const lanes = <Item>(
  count: number,
  items: Iterable<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
  outer?: AbortSignal,
): Promise<void> => {
  const rest = items[Symbol.iterator]()
  const lane = async (signal: AbortSignal): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next()) {
      await work(next.value, signal)
      if (signal.aborted) return
    }
  }
  return inParallel(count, lane, outer)
}

/** The first error aborts the other calls, and is thrown when they have ended. */
export const inParallel = async (
  count: number,
  work: (signal: AbortSignal) => Promise<void>,
  outer?: AbortSignal,
): Promise<void> => {
  const failed = new AbortController()
  const signal = outer ? AbortSignal.any([outer, failed.signal]) : failed.signal
  await Promise.all(Array.from({ length: count }, () => work(signal).catch((error) => failed.abort(error))))
  signal.throwIfAborted()
}
