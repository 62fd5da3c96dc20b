import type { Clip } from '../protocol/orders.ts'
import type { TextRule } from '../text-rule.ts'

/** `[h:]mm:ss[.fff]` */
const clipTime = /^(?:[0-9]{1,3}:[0-5][0-9]|[0-9]{1,2}):[0-5][0-9](?:\.[0-9]{1,3})?$/

export const clipTimeRule: TextRule = { pattern: clipTime.source, maxLength: 13 }

/** The seconds of a time such as `1:02:03.5` or `2:30`. null: it is not one. */
export const secondsOf = (text: string): number | null =>
  clipTime.test(text) ? text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) : null

/** The seconds of the media that are in the clip. If the media's length is unknown: the most they can be. null: unknown. */
export const clippedSeconds = (mediaSeconds: number | null, clip: Clip | null): number | null => {
  const end = Math.min(mediaSeconds ?? Infinity, clip?.endSeconds ?? Infinity)
  return end === Infinity ? null : Math.max(0, end - (clip?.startSeconds ?? 0))
}
