import { columnsOf, cutToColumns } from './columns.ts'
import { printable } from './printable.ts'
import { bytesText, durationText } from './quantities.ts'

/** The progress of a job, of an upload or of a download to this machine. */
export interface Progress {
  stage: string
  percent?: number | null
  downloadedBytes?: number | null
  totalBytes?: number | null
  bytesPerSecond?: number | null
  etaSeconds?: number | null
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
