import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Heap } from '../../../../domain/fleet/heap.ts'

interface Item {
  value: number
}

const heapOf = (items: Iterable<Item>): Heap<Item> => {
  const heap = new Heap<Item>((a, b) => a.value < b.value)
  for (const item of items) heap.add(item)
  return heap
}

const drained = (heap: Heap<Item>): number[] => {
  const values: number[] = []
  for (let top = heap.top; top; top = heap.top) {
    values.push(top.value)
    heap.delete(top)
  }
  return values
}

const items = fc.array(fc.record({ value: fc.integer({ min: 0, max: 50 }) }), { maxLength: 100 })
const sorted = (values: number[]) => values.sort((a, b) => a - b)

test('items come out in order, also after others were removed and moved', () => {
  fc.assert(
    fc.property(items, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 50 }))), (all, changes) => {
      const heap = heapOf(all)
      const left = new Set(all)
      for (const [pick, value] of changes) {
        const item = all[pick % Math.max(1, all.length)]
        if (!item) continue
        if (value % 3 === 0) {
          heap.delete(item)
          left.delete(item)
        } else {
          item.value = value
          heap.update(item)
        }
      }
      expect(heap.size).toBe(left.size)
      expect(drained(heap)).toEqual(sorted([...left].map(({ value }) => value)))
    }),
  )
})

test('the first accepted item is the smallest of those that are accepted', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 9 }), (all, divisor) => {
      const accepts = ({ value }: Item) => value % divisor === 0
      const first = sorted(all.filter(accepts).map(({ value }) => value))[0]
      expect(heapOf(all).first(accepts)?.value).toBe(first)
    }),
  )
})
