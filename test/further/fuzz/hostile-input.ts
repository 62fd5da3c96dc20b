import fc, { type Arbitrary } from 'fast-check'
import { expect } from 'vitest'
import { SourceFailure } from '../../../container/failures.ts'
import { countOperations } from './operations.ts'

/**
 * Input of an attacker who knows the format, and the promises that a parser keeps for any input: it returns, or it
 * throws a SourceFailure; its operations are at most linear in the size of the input.
 */

/** Numbers at which arithmetic, dates and allocations go wrong. */
export const hostileNumber = fc.oneof(
  fc.constantFrom('0', '-0', '-1', '0.5', '1e308', '1e999', '-1e999', 'NaN', 'Infinity', '', '00', '+1', '0x10'),
  fc.constantFrom('4294967295', '4294967296', '2147483648', '9007199254740993', '18446744073709551616'),
  fc.nat().map(String),
  fc.integer({ min: 1, max: 400 }).map((digits) => '9'.repeat(digits)),
)

/** Text that programs handle badly: NULs, halves of surrogate pairs, combining and bidirectional characters. */
const hostileText = fc.oneof(
  fc.constantFrom(
    '\0',
    '\ufeff',
    '\u2028',
    '\r',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\ud800',
    '\udc00',
    '👩‍👩‍👧',
    'e\u0301',
    '\u202e',
    '今日',
    'ไทย',
  ),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  hostileNumber,
)

/** A part of a hostile text, once or many times in sequence. `#` in a repeated part is replaced by its number. */
export interface Part {
  text: string
  isRepeated: boolean
}

export const once = (text: string): Part => ({ text, isRepeated: false })
export const repeated = (text: string): Part => ({ text, isRepeated: true })

export const repeat = (text: string, count: number): string =>
  text.includes('#n')
    ? Array.from({ length: count }, (_, index) => text.replaceAll('#n', `${index}`)).join('')
    : text.repeat(count)

export const assembled = (parts: Part[], count: number): string =>
  parts.map(({ text, isRepeated }) => (isRepeated ? repeat(text, count) : text)).join('')

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A small file of each kind, with its repeated parts once. */
export const samplesOf = (suspects: Record<string, Part[]>, encode = utf8): Uint8Array[] =>
  Object.values(suspects).map((parts) => encode(parts.map(({ text }) => text).join('')))

/** Fragments of a format in any order, some of them hundreds of times, with hostile text between them. */
export const textOf = (fragments: string[]): Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...fragments) },
        { weight: 2, arbitrary: hostileText },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 4 }), fc.nat(300))
            .map(([some, count]) => repeat(some.join(''), count)),
        },
      ),
      { maxLength: 40 },
    )
    .map((pieces) => pieces.join(''))

/** Parts of a format, in an order and with repetitions that make an algorithm with two loops quadratic. */
export const partsOf = (fragments: string[]): Arbitrary<Part[]> =>
  fc.array(
    fc.record({
      text: fc
        .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...fragments) }, hostileText), {
          minLength: 1,
          maxLength: 5,
        })
        .map((some) => some.join('')),
      isRepeated: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )

/** Valid samples after a few changes of their bytes: flipped, removed, repeated, overwritten, joined or cut off. */
export const mutationsOf = (samples: Uint8Array[]): Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.constantFrom(...samples), fc.array(fc.tuple(change, fc.nat(), fc.nat(64), fc.nat(255)), { maxLength: 8 }))
    .map(([sample, changes]) =>
      changes.reduce((bytes, [apply, at, length, byte]) => apply(bytes, at % (bytes.length + 1), length, byte), sample),
    )

type Change = (bytes: Uint8Array, at: number, length: number, byte: number) => Uint8Array

const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

const change = fc.constantFrom<Change[]>(
  (bytes, at, _length, byte) => bytes.map((each, index) => (index === at ? each ^ byte : each)),
  (bytes, at, length) => joined(bytes.subarray(0, at), bytes.subarray(at + length)),
  (bytes, at, length) => joined(bytes.subarray(0, at + length), bytes.subarray(at)),
  (bytes, at, length, byte) =>
    joined(bytes.subarray(0, at), new Uint8Array(length).fill(byte), bytes.subarray(at + length)),
  (bytes, at, length, byte) => joined(bytes.subarray(0, at), new Uint8Array(length).fill(byte), bytes.subarray(at)),
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => joined(bytes, bytes.subarray(at)),
)

/** At most `each` operations for each byte or character of the input, and `fixed` for the empty input. */
export interface Budget {
  each: number
  fixed: number
}

/** The result of a parser within its budget; null for a SourceFailure. Any other error fails the test. */
export const within = <Result>({ each, fixed }: Budget, size: number, read: () => Result): Result | null => {
  const { operations, result } = countOperations(() => resultOrFailure(read))
  expect(operations).toBeLessThanOrEqual(each * size + fixed)
  return result
}

const resultOrFailure = <Result>(read: () => Result): Result | null => {
  try {
    return read()
  } catch (error) {
    if (error instanceof SourceFailure) return null
    throw error
  }
}

/** Above 2 for what V8 and n log n add, below 3 for a quadratic part that is as large as the linear one. */
const maxGrowth = 2.6

/** The size of the smaller input. Large enough that a quadratic part exceeds the linear one. */
const growthCharacters = 16_384

/** Twice as much of the input takes at most about twice as many operations. */
export const growsLinearly = (
  parts: Part[],
  read: (text: string) => unknown,
  characters: number = growthCharacters,
): void => {
  const repeatedCharacters = parts.reduce((sum, { text, isRepeated }) => sum + (isRepeated ? text.length : 0), 0)
  if (repeatedCharacters === 0) return
  countGrowsLinearly((count) => assembled(parts, count), Math.ceil(characters / repeatedCharacters), read)
}

/** The same for input of any kind, made of `count` items. */
export const countGrowsLinearly = <Input>(
  inputOf: (count: number) => Input,
  count: number,
  read: (input: Input) => unknown,
): void => {
  const operationsFor = (times: number): number => {
    const input = inputOf(times)
    return countOperations(() => resultOrFailure(() => read(input))).operations
  }
  expectLinear(count, operationsFor(count), operationsFor(2 * count))
}

/** Compares the operations for `count` items with those for twice as many. */
export const expectLinear = (count: number, one: number, two: number): void =>
  expect(two, `operations for ${2 * count}, where ${count} took ${one}`).toBeLessThanOrEqual(maxGrowth * one)
