/**
 * Does `work` for each item, in order and for up to `count` items at once. After an error no further item is started, and
 * the signal of the work that has started is aborted. The error is thrown when all of it has ended.
 */
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

/** Does `work` so many times at once. The first error aborts the others, and is thrown when they have ended. */
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
