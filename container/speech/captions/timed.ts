import { CaptionsTooLarge, type Cue } from './cue.ts'
import { lines } from './lines.ts'
import { strip } from './markup.ts'
import { parseTiming } from './times.ts'

/**
 * WebVTT and SubRip are one family: a line with times, then text. What differs is where the text ends.
 * In WebVTT an empty line ends it, and blocks of comments and styles must be passed over. In SubRip files
 * text goes on over empty lines until the next times, with the next number, where there is one, before them.
 */

/** `WEBVTT` and what follows it up to the first times is header; so is nothing at all. */
export const vttCues = (text: string): Generator<Cue> => timed(withoutNotes(lines(text)), true)

export const srtCues = (text: string): Generator<Cue> => timed(lines(text), false)

function* timed(lines: Iterable<string>, emptyEnds: boolean): Generator<Cue> {
  let open: OpenCue | null = null
  for (const line of lines) {
    // Really empty: YouTube's rolling cues begin with a line of one space.
    if (emptyEnds && line === '') {
      if (open) yield* closed(open)
      open = null
      continue
    }
    const timing = parseTiming(line)
    if (timing === null) {
      if (open) add(open, line)
      continue
    }
    if (open) yield* closed(withoutNumber(open))
    open = timing === 'bad' ? null : { ...timing, lines: [] }
  }
  if (open) yield* closed(open)
}

/** A comment, a style or a region of WebVTT goes from its name at the start of a block to the next empty line. */
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

/** Far more than a screen holds: this is no caption, and millions of lines would take seconds to join. */
const maxLines = 10_000

const add = (cue: OpenCue, line: string) => {
  if (cue.lines.length === maxLines) throw new CaptionsTooLarge(`more than ${maxLines} lines in a cue`)
  cue.lines.push(line)
}

/** The line right before the next times is that cue's number, not this one's words. */
const withoutNumber = (cue: OpenCue): OpenCue =>
  /^\s*\d{1,9}\s*$/.test(cue.lines.at(-1) ?? '') ? { ...cue, lines: cue.lines.slice(0, -1) } : cue

function* closed({ start, end, lines }: OpenCue): Generator<Cue> {
  const stripped = strip(lines.join('\n'))
  if (stripped.text.trim() !== '') yield { start, end, ...stripped }
}
