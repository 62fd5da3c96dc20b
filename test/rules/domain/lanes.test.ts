import { expect, test } from 'vitest'
import { lanes } from '../../../domain/lanes.ts'

/** Work that ends when the test says so. */
const heldWork = () => {
  const started: number[] = []
  const held = new Map<number, PromiseWithResolvers<void>>()
  const work = (item: number): Promise<void> => {
    started.push(item)
    const end = Promise.withResolvers<void>()
    held.set(item, end)
    return end.promise
  }
  const settled = async (settle: () => void) => {
    settle()
    for (let ticks = 0; ticks < 10; ticks++) await null
  }
  return {
    started,
    work,
    end: (item: number) => settled(() => held.get(item)?.resolve()),
    fail: (item: number) => settled(() => held.get(item)?.reject(new Error(`item ${item}`))),
  }
}

test('items are started in order, at most as many as there are lanes at once', async () => {
  const { started, work, end } = heldWork()
  const done = lanes(2, [1, 2, 3, 4], work)
  expect(started).toEqual([1, 2])
  await end(2)
  expect(started).toEqual([1, 2, 3])
  for (const item of [3, 1, 4]) await end(item)
  expect(started).toEqual([1, 2, 3, 4])
  await done
})

test('after an error no item is started, and it is thrown when the others have ended', async () => {
  const { started, work, end, fail } = heldWork()
  let isOver = false
  const done = lanes(3, [1, 2, 3, 4, 5], work).finally(() => {
    isOver = true
  })
  done.catch(() => {})
  await fail(2)
  await end(1)
  expect([started, isOver]).toEqual([[1, 2, 3], false])
  await fail(3)
  await expect(done).rejects.toThrow('item 2')
  expect(started).toEqual([1, 2, 3])
})

test('an error or the outer signal aborts the work that has started', async () => {
  const outer = new AbortController()
  const ends: string[] = []
  const untilAborted = (item: number, signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => {
      if (item === 2) return reject(new Error('item 2'))
      signal.addEventListener('abort', () => {
        ends.push(`${item}: ${signal.reason.message}`)
        reject(signal.reason)
      })
    })
  await expect(lanes(2, [1, 2, 3], untilAborted, outer.signal)).rejects.toThrow('item 2')
  const stopped = lanes(2, [4, 5, 6], untilAborted, outer.signal)
  outer.abort(new Error('stop'))
  await expect(stopped).rejects.toThrow('stop')
  expect(ends).toEqual(['1: item 2', '4: stop', '5: stop'])
})

test('items are taken one by one, because a list may be long', async () => {
  let taken = 0
  function* endless() {
    for (;;) yield taken++
  }
  const failing = lanes(2, endless(), (item) => (item < 4 ? Promise.resolve() : Promise.reject(new Error('enough'))))
  await expect(failing).rejects.toThrow('enough')
  expect(taken).toBeLessThan(8)
})

test('no items are no work', async () => {
  await lanes(2, [], () => Promise.reject(new Error('there is no item')))
})
