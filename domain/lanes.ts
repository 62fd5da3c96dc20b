/**
 * Does `work` for each item, in order and for up to `count` items at once. After an error no further item is started. It
 * is thrown when the work that had started is done.
 */
export const lanes = async <Item>(
  count: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const waiting = [...items]
  const errors: unknown[] = []
  const lane = async (): Promise<void> => {
    while (waiting.length > 0 && errors.length === 0) {
      try {
        await work(waiting.shift() as Item)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: count }, lane))
  if (errors.length > 0) throw errors[0]
}
