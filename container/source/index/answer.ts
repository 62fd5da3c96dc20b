import { type Budget, mergeRanges } from './file-ranges.ts'
import { type FileRange, Missing, OutOfReach } from './sparse-file.ts'

/**
 * An index is read in the reader process, which knows only some bytes of the file and keeps nothing. It answers with
 * what it found, or with what has to be fetched before the same call is made again with more bytes.
 */
export type Answer<T> =
  | { found: T }
  | { fetch: FileRange[] }
  /** Only the whole file would do, or the budget is too small. */
  | { outOfReach: string }

export const answerOf = <T>(budget: Budget, work: () => T): Answer<T> => {
  try {
    return { found: work() }
  } catch (error) {
    if (error instanceof OutOfReach) return { outOfReach: error.message }
    if (!(error instanceof Missing)) throw error
    const ranges = mergeRanges(error.ranges, budget)
    return ranges ? { fetch: ranges } : { outOfReach: 'too many bytes or requests' }
  }
}
