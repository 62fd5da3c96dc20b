import { expect, test } from 'vitest'
import { countOperations } from './operations.ts'

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`)

/** How many times as many operations an input of twice the size needs. */
const growth = <Input>(inputOf: (size: number) => Input, work: (input: Input) => unknown): number => {
  const operationsFor = (size: number): number => {
    const input = inputOf(size)
    return countOperations(() => work(input)).operations
  }
  return operationsFor(2_000) / operationsFor(1_000)
}

const linear: Record<string, (input: string[]) => unknown> = {
  'a loop': (input) => {
    let sum = 0
    for (const text of input) sum += text.length
    return sum
  },
  'a set of what was seen': (input) => {
    const seen = new Set<string>()
    for (const text of input) seen.add(text)
    return seen
  },
  'one sort': (input) => input.toSorted(),
  'one pattern on the joined text': (input) => input.join(' ').replace(/\d+/g, ''),
}

const quadratic: Record<string, (input: string[]) => unknown> = {
  'a loop in a loop': (input) => {
    let same = 0
    for (const one of input) for (const other of input) if (one === other) same++
    return same
  },
  'a callback for each pair': (input) => input.filter((one) => input.find((other) => one === other)),
  'a search in what was seen': (input) => {
    const seen: string[] = []
    for (const text of input) if (!seen.includes(text)) seen.push(text)
    return seen
  },
  'a copy for each item': (input) => {
    let all: string[] = []
    for (const text of input) all = [...all, text]
    return all
  },
  'a sort for each item': (input) => input.map((_, index) => input.toSorted()[index]),
  'the rest of the text, searched for each item': (input) => {
    const text = input.join(' ')
    return input.map((_, index) => text.indexOf('\n', index))
  },
  'a pattern on the whole text for each item': (input) => {
    const text = input.join(' ')
    return input.map(() => /\n/.test(text))
  },
  'the whole as JSON for each item': (input) => input.map(() => JSON.stringify(input)),
  'a URL as long as the text for each item': (input) => {
    const text = input.join('/')
    return input.map((path) => URL.parse(path, `https://a.example/${text}/`))
  },
}

test.each(Object.entries(linear))('%s is counted as linear', (_, work) => {
  expect(growth(texts, work)).toBeGreaterThan(1.8)
  expect(growth(texts, work)).toBeLessThan(2.3)
})

test.each(Object.entries(quadratic))('%s is counted as quadratic', (_, work) => {
  expect(growth(texts, work)).toBeGreaterThan(3.5)
})

test('the same work has the same count', () => {
  const work = () => texts(100).toSorted().join().split(',')
  countOperations(work)
  const { operations } = countOperations(work)
  expect(operations).toBeGreaterThan(100)
  expect(countOperations(work).operations).toBe(operations)
})

test('the built-in functions are put back, also after an error', () => {
  const { includes } = String.prototype
  const fail = () => {
    throw new Error('while counting')
  }
  expect(() => countOperations(fail)).toThrow('while counting')
  expect(String.prototype.includes).toBe(includes)
})
