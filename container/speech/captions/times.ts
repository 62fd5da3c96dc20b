/** Hours may be missing or have any number of digits, minutes may count past 59, the comma is SubRip's. */
const time = /^\s*(\d+):(\d+)(?::(\d+))?(?:[.,](\d+))?(?=\s|$)/

export const parseTime = (text: string): number | null => {
  const [matched, first, second, third, fraction = '0'] = time.exec(text) ?? []
  if (matched === undefined) return null
  const whole = third === undefined ? [0, first, second] : [first, second, third]
  const [hours = 0, minutes = 0, seconds = 0] = whole.map(Number)
  const total = hours * 3600 + minutes * 60 + seconds + Number(`0.${fraction}`)
  return Number.isFinite(total) ? total : null
}

/**
 * The times of a line such as `00:01.000 --> 00:02.000 align:start` or `… X1:40`, `'bad'` when it was meant
 * as one but says no times that a cue can have, and null when it is text with an arrow in it.
 */
export const parseTiming = (line: string): { start: number; end: number } | 'bad' | null => {
  const arrow = line.indexOf('-->')
  if (arrow === -1 || !/^\s*[-\d]/.test(line)) return null
  const [start, end] = [parseTime(line.slice(0, arrow)), parseTime(line.slice(arrow + 3))]
  return start === null || end === null || end <= start ? 'bad' : { start, end }
}
