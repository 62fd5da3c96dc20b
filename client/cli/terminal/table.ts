import { columnsOf, cutToColumns, padToColumns } from './columns.ts'
import { printable } from './printable.ts'

export interface Column {
  title: string
  align?: 'right'
  /** Takes what the other columns leave. A table has one such column at most. */
  isFlexible?: true
}

const GAP = '  '
const LEAST_FLEXIBLE_COLUMNS = 10

/**
 * Lines of an aligned table. With `maxColumns` the flexible column is cut so that a line fits the terminal; without, as
 * in a pipe, nothing is cut.
 */
export const tableLines = (columns: readonly Column[], rows: readonly string[][], maxColumns?: number): string[] => {
  const cells = rows.map((row) => row.map(printable))
  const widths = columns.map(({ title }, index) =>
    Math.max(columnsOf(title), ...cells.map((row) => columnsOf(row[index] ?? ''))),
  )
  const flexible = columns.findIndex(({ isFlexible }) => isFlexible)
  const tooMany = sum(widths) + GAP.length * (columns.length - 1) - (maxColumns ?? Number.POSITIVE_INFINITY)
  if (flexible >= 0 && tooMany > 0) {
    widths[flexible] = Math.max(LEAST_FLEXIBLE_COLUMNS, (widths[flexible] ?? 0) - tooMany)
  }
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

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
