import { packSegments, type SegmentList, unpackSegments } from '../transfer/segment-list.ts'

/** A part of the media, in seconds. `to` may be infinite. */
export interface TimeRange {
  from: number
  to: number
}

export type ChosenSegments = ReturnType<typeof chooseSegments>

/** Sums of rounded durations. */
const ROUNDING_SECONDS = 0.001

/**
 * The segments that overlap a part of the media, each with the initialization section that it needs. A part that starts
 * after the end has the last segment. Only for lists with announcedSeconds. `first` is the index of the first of them, and
 * `positionSeconds` when it starts, according to the manifest.
 */
export const chooseSegments = (list: SegmentList, { from, to }: TimeRange) => {
  let [first, last, position, positionOfFirst] = [-1, -1, 0, 0]
  for (const [index, each] of list.seconds.entries()) {
    if (each < 0) continue
    if (first === -1 || position <= from + ROUNDING_SECONDS) {
      first = index
      positionOfFirst = position
    }
    if (last === -1 || position < to - ROUNDING_SECONDS) last = index
    position += each
  }
  return { segments: slice(list, first, Math.max(first, last)), positionSeconds: positionOfFirst, first }
}

/** The segments before these that start within so many seconds, at least one. null: there are none. */
export const segmentsBefore = (
  list: SegmentList,
  { first, positionSeconds }: ChosenSegments,
  seconds: number,
): ChosenSegments | null => {
  let position = positionSeconds
  let earliest = first
  for (let index = first - 1; index >= 0; index--) {
    const each = list.seconds[index] ?? -1
    if (each < 0) continue
    if (earliest < first && position - each < positionSeconds - seconds) break
    position -= each
    earliest = index
  }
  if (earliest === first) return null
  return { segments: slice(list, earliest, first - 1), positionSeconds: position, first: earliest }
}

const slice = (list: SegmentList, first: number, last: number): SegmentList => {
  // The last initialization section before the first segment.
  const section = list.seconds.subarray(0, Math.max(0, first)).findLastIndex((seconds) => seconds < 0)
  const isChosen = (index: number) => index === section || (index >= first && index <= last)
  return packSegments([...Iterator.from(unpackSegments(list)).filter((_, index) => isChosen(index))])
}
