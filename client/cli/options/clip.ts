import { UsageError } from '../problems.ts'

export interface Clip {
  start?: string | number
  end?: string | number
}

/** Seconds, or `[h:]mm:ss[.fff]`. */
const time = '(?:\\d+(?:\\.\\d+)?|(?:\\d{1,3}:)?\\d{1,2}:\\d{2}(?:\\.\\d{1,3})?)'
const range = new RegExp(`^(${time})?-(${time})?$`)

/** `1:00-2:30`, `-2:30` or `1:00-`. Whether the end is after the start is checked by the API. */
export const parseClip = (text: string): Clip => {
  const [, start, end] = range.exec(text.trim()) ?? []
  if (start === undefined && end === undefined) {
    throw new UsageError(`--clip ${text}: expected a start and an end such as 1:00-2:30, 1:00- or -2:30.`)
  }
  return {
    ...(start === undefined ? {} : { start: timeOf(start) }),
    ...(end === undefined ? {} : { end: timeOf(end) }),
  }
}

/** The API takes seconds as numbers. */
const timeOf = (text: string): string | number => (text.includes(':') ? text : Number(text))
