import { CaptionsTooLarge, type Cue } from '../cue.ts'
import { stripMarkup } from './markup.ts'

/**
 * A line with times, then text. In WebVTT it ends at an empty line, and comment and style blocks are skipped. In SubRip it
 * continues across empty lines until the next line with times, which usually has a number on the line before it.
 */

/** Everything before the first times is the header. */
export const vttCues = (text: string): Generator<Cue> => timedCues(withoutNotes(linesOf(text)), true)

export const srtCues = (text: string): Generator<Cue> => timedCues(linesOf(text), false)

function* timedCues(lines: Iterable<string>, endsAtEmptyLine: boolean): Generator<Cue> {
  let open: OpenCue | null = null
  for (const line of lines) {
    // Not trimmed: YouTube's rolling cues start with a line that is one space.
    if (endsAtEmptyLine && line === '') {
      if (open) yield* closed(open)
      open = null
      continue
    }
    const timing = parseTiming(line)
    if (timing === null) {
      if (open) addLine(open, line)
      continue
    }
    if (open) yield* closed(withoutNumber(open))
    open = timing === 'bad' ? null : { ...timing, lines: [] }
  }
  if (open) yield* closed(open)
}

/** Skips WebVTT comments, styles and regions: from the keyword at the start of a block to the next empty line. */
function* withoutNotes(lines: Iterable<string>): Generator<string> {
  let atBlockStart = true
  let skipping = false
  for (const line of lines) {
    if (line === '') skipping = false
    else if (atBlockStart) skipping = /^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(line)
    atBlockStart = line === ''
    if (!skipping) yield line
  }
}

interface OpenCue {
  start: number
  end: number
  lines: string[]
}

/** Far more than a screen shows. Joining millions of lines would take seconds. */
const maxLinesPerCue = 10_000

const addLine = (cue: OpenCue, line: string) => {
  if (cue.lines.length === maxLinesPerCue) throw new CaptionsTooLarge(`more than ${maxLinesPerCue} lines in a cue`)
  cue.lines.push(line)
}

/** A number on the last line before the next times belongs to the next cue. */
const withoutNumber = (cue: OpenCue): OpenCue =>
  /^\s*\d{1,9}\s*$/.test(cue.lines.at(-1) ?? '') ? { ...cue, lines: cue.lines.slice(0, -1) } : cue

function* closed({ start, end, lines }: OpenCue): Generator<Cue> {
  const stripped = stripMarkup(lines.join('\n'))
  if (stripped.text.trim() !== '') yield { start, end, ...stripped }
}

/** Lines with any line ending, one at a time: an array of ten million empty lines would exhaust memory. */
function* linesOf(text: string): Generator<string> {
  // A text-mode copy on Windows turns CRLF into `\r\r\n`, which is one line ending.
  const unix = text.replace(/\r\r?\n|\r/g, '\n')
  let from = 0
  while (from <= unix.length) {
    const end = unix.indexOf('\n', from)
    const to = end === -1 ? unix.length : end
    yield unix.slice(from, to)
    from = to + 1
  }
}

/** Hours are optional and have any number of digits, minutes may exceed 59, SubRip uses a decimal comma. */
const time = /^\s*(\d+):(\d+)(?::(\d+))?(?:[.,](\d+))?(?=\s|$)/

export const parseTime = (text: string): number | null => {
  const [matched, first, second, third, fraction = '0'] = time.exec(text) ?? []
  if (matched === undefined) return null
  const whole = third === undefined ? [0, first, second] : [first, second, third]
  const [hours = 0, minutes = 0, seconds = 0] = whole.map(Number)
  const total = hours * 3600 + minutes * 60 + seconds + Number(`0.${fraction}`)
  return Number.isFinite(total) ? total : null
}

/** `00:01.000 --> 00:02.000 align:start` or `… X1:40`. 'bad': invalid times. null: text that contains an arrow. */
const parseTiming = (line: string): { start: number; end: number } | 'bad' | null => {
  const arrow = line.indexOf('-->')
  if (arrow === -1 || !/^\s*[-\d]/.test(line)) return null
  const [start, end] = [parseTime(line.slice(0, arrow)), parseTime(line.slice(arrow + 3))]
  return start === null || end === null || end <= start ? 'bad' : { start, end }
}
