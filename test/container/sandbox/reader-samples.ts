import { randomUUID } from 'node:crypto'
import { SourceFailure } from '../../../container/failures.ts'

/** Functions that reader.test.ts calls in the child process. */
export const sum = (...numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
export const reversed = (bytes: Uint8Array): Uint8Array => bytes.toReversed()
const id = randomUUID()
export const processId = (): string => id
export const fail = (): never => {
  throw new SourceFailure('SOURCE_LIVE', 'still running')
}
export const crash = (): never => {
  throw new TypeError('unexpected text')
}
export const spin = (): never => {
  for (;;);
}
export const hoard = (): number => {
  const kept: number[][] = []
  for (;;) kept.push(Array(1_000_000).fill(kept.length))
}
