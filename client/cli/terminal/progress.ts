import type { Progress as JobProgress } from '../../src/index.ts'
import { printable } from './output.ts'
import { bytesText, durationText } from './quantities.ts'
import { columnsOf, cutToColumns } from './table.ts'

export interface Progress extends Partial<JobProgress> {
  stage: string
  downloadedBytes?: number | null
  totalBytes?: number | null
}

const BAR_COLUMNS = 24

/** `Downloading  45 %  [=====>     ]  12.3 MB of 27.0 MB  3.1 MB/s  0:05 left` */
export const progressText = (progress: Progress, elapsedSeconds: number, maxColumns?: number): string => {
  const { percent } = progress
  const stage = capitalized(printable(progress.stage))
  if (percent == null) {
    return fitted([stage, ...amounts(progress), durationText(elapsedSeconds)], maxColumns)
  }
  const facts = [stage, `${String(Math.floor(percent)).padStart(3)} %`, ...amounts(progress)]
  if (maxColumns === undefined) return fitted(facts)
  const room = maxColumns - columnsOf(facts.join('  ')) - 4
  const bar = room >= 8 ? [`[${barOf(percent, Math.min(BAR_COLUMNS, room))}]`] : []
  return fitted([...facts.slice(0, 2), ...bar, ...facts.slice(2)], maxColumns)
}

/** Facts that do not fit are left out from the end. */
const fitted = (facts: string[], maxColumns = Number.POSITIVE_INFINITY): string => {
  const kept = [...facts]
  while (kept.length > 1 && columnsOf(kept.join('  ')) > maxColumns) kept.pop()
  return cutToColumns(kept.join('  '), maxColumns)
}

const amounts = ({ downloadedBytes, totalBytes, bytesPerSecond, etaSeconds }: Progress): string[] => [
  ...(downloadedBytes
    ? [totalBytes ? `${bytesText(downloadedBytes)} of ${bytesText(totalBytes)}` : bytesText(downloadedBytes)]
    : []),
  ...(bytesPerSecond ? [`${bytesText(bytesPerSecond)}/s`] : []),
  ...(etaSeconds == null ? [] : [`${durationText(etaSeconds)} left`]),
]

const barOf = (percent: number, columns: number): string => {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * columns)
  return filled === 0 ? ' '.repeat(columns) : `${'='.repeat(filled - 1)}>${' '.repeat(columns - filled)}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What the line needs of a stream, so that tests can pass their own. */
export interface LineStream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const REDRAW_MS = 100
const TICK_MS = 1_000
/** Plain lines, for logs: what takes no time needs none. */
const FIRST_PLAIN_LINE_MS = 1_000
const PLAIN_LINE_MS = 5_000
const DEFAULT_COLUMNS = 80
const CLEAR_LINE = '\r\u001b[2K'

/**
 * One line of progress. On a terminal it is redrawn, and every second even without news, so that its clock runs.
 * Elsewhere it is a plain line every five seconds, beginning with the second one. Quiet: nothing is shown but notes.
 */
export const progressLine = (
  stream: LineStream,
  { isQuiet = false, now = () => performance.now() }: { isQuiet?: boolean; now?: () => number } = {},
) => {
  const redraws = stream.isTTY === true && process.env.TERM !== 'dumb'
  let text: ((maxColumns?: number) => string) | undefined
  const intervalMs = redraws ? REDRAW_MS : PLAIN_LINE_MS
  let dueAt = redraws ? now() : now() + FIRST_PLAIN_LINE_MS
  let isDrawn = false
  let ticking: NodeJS.Timeout | undefined

  const clear = () => {
    if (isDrawn) stream.write(CLEAR_LINE)
    isDrawn = false
  }
  const draw = () => {
    if (!text) return
    dueAt = now() + intervalMs
    if (!redraws) return void stream.write(`${text()}\n`)
    // The last column stays free, because some terminals wrap after it.
    const columns = (stream.columns || DEFAULT_COLUMNS) - 1
    stream.write(`${CLEAR_LINE}${cutToColumns(text(columns), columns)}`)
    isDrawn = true
  }
  const drawIfDue = () => {
    if (now() >= dueAt) draw()
  }
  return {
    /** Called with the columns of the terminal each time the line is drawn. undefined: a plain line, of any length. */
    show: (next: (maxColumns?: number) => string) => {
      if (isQuiet) return
      text = next
      drawIfDue()
      ticking ??= setInterval(drawIfDue, TICK_MS).unref()
    },
    /** Prints a line that stays, above the progress. */
    note: (line: string) => {
      const wasDrawn = isDrawn
      clear()
      stream.write(`${line}\n`)
      if (wasDrawn) draw()
    },
    end: () => {
      clearInterval(ticking)
      ticking = undefined
      text = undefined
      clear()
    },
  }
}
