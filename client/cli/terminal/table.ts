import { printable } from './output.ts'

const segmenter = new Intl.Segmenter()

/** Characters that terminals show two columns wide: East Asian ones and emoji. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u
const withoutWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

const widthOf = (grapheme: string): number => {
  if (withoutWidth.test(grapheme)) return 0
  return wide.test(grapheme) ? 2 : 1
}

/** The number of columns that a text takes on a terminal. */
export const columnsOf = (text: string): number => {
  let columns = 0
  for (const { segment } of segmenter.segment(text)) columns += widthOf(segment)
  return columns
}

/** The text, cut to so many columns. What was cut ends with an ellipsis. */
export const cutToColumns = (text: string, maxColumns: number): string => {
  if (columnsOf(text) <= maxColumns) return text
  let columns = 0
  let kept = ''
  for (const { segment } of segmenter.segment(text)) {
    columns += widthOf(segment)
    if (columns > maxColumns - 1) break
    kept += segment
  }
  return maxColumns > 0 ? `${kept.trimEnd()}…` : ''
}

const fitToColumns = (text: string, columns: number, align: 'left' | 'right' = 'left'): string => {
  const cut = cutToColumns(text, columns)
  const spaces = ' '.repeat(columns - columnsOf(cut))
  return align === 'left' ? cut + spaces : spaces + cut
}

export interface Column {
  title: string
  align?: 'right'
  /** Gives way if a line does not fit. */
  isFlexible?: true
}

const GAP = '  '
const LEAST_FLEXIBLE_COLUMNS = 10

/**
 * Lines of an aligned table. With `maxColumns` the flexible columns are cut so that a line fits the terminal, the widest
 * first; without, as in a pipe, nothing is cut.
 */
export const tableLines = (columns: readonly Column[], rows: readonly string[][], maxColumns?: number): string[] => {
  const cells = rows.map((row) => row.map(printable))
  const natural = columns.map(({ title }, index) =>
    Math.max(columnsOf(title), ...cells.map((row) => columnsOf(row[index] ?? ''))),
  )
  const room = (maxColumns ?? Number.POSITIVE_INFINITY) - GAP.length * (columns.length - 1)
  const widths = fittedWidths(columns, natural, room)
  const fitted = (row: readonly string[]) =>
    columns.map(({ align }, index) => fitToColumns(row[index] ?? '', widths[index] ?? 0, align))
  const line = (row: readonly string[]) => fitted(row).join(GAP).trimEnd()
  return [columns.map(({ title }) => title), ...cells].map(line)
}

const fittedWidths = (columns: readonly Column[], natural: readonly number[], room: number): readonly number[] => {
  const widths = [...natural]
  while (sum(widths) > room) {
    const flexible = widths.map((width, index) => (columns[index]?.isFlexible ? width : 0))
    const widest = Math.max(...flexible)
    if (widest <= LEAST_FLEXIBLE_COLUMNS) break
    widths[flexible.indexOf(widest)] = widest - 1
  }
  return widths
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
