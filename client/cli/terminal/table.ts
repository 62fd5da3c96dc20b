import { columnsOf, cutToColumns, padToColumns } from './columns.ts'
import { printable } from './printable.ts'

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
  const line = (row: readonly string[]) =>
    columns
      .map(({ align }, index) => {
        const width = widths[index] ?? 0
        return padToColumns(cutToColumns(row[index] ?? '', width), width, align)
      })
      .join(GAP)
      .trimEnd()
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
