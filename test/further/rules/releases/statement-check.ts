import type { Cursor, SqlDatabase } from '../../../simulation/platform/sql.ts'
import type { Statement } from './record-statements.ts'

/**
 * A sentence for each statement that works with the schema it was written for and not with another one. Both databases hold
 * the same rows. Rows are not compared: a statement may have met other rows when it was recorded, so that it violates a
 * UNIQUE or CHECK constraint in both.
 */
export const brokenStatements = (statements: readonly Statement[], own: SqlDatabase, other: SqlDatabase): string[] =>
  statements.flatMap((statement) => {
    const expected = outcomeOf(own, statement)
    if (expected.error !== null && !isOfRows(expected.error))
      return [`${expected.error}, with the schema that it was recorded with: ${statement.sql}`]
    const { columns, error } = outcomeOf(other, statement)
    if (error !== null && (expected.error === null || !isOfRows(error))) return [`${error}: ${statement.sql}`]
    const missing = error === null ? expected.columns.filter((column) => !columns.includes(column)) : []
    return missing.map((column) => `the result has no column ${column}: ${statement.sql}`)
  })

/** Adds the rows that the statements insert, so that migrations find some. */
export const fill = (database: SqlDatabase, statements: readonly Statement[]): void => {
  for (const { sql, bindings } of statements) {
    if (!/^INSERT/.test(sql)) continue
    try {
      database.exec(sql, ...bindings)
    } catch (cause) {
      if (!isOfRows(`${cause}`)) throw cause
    }
  }
}

interface Outcome {
  columns: string[]
  error: string | null
}

/** Changes nothing. */
const outcomeOf = (database: SqlDatabase, { sql, bindings }: Statement): Outcome => {
  database.exec('SAVEPOINT one_statement')
  try {
    const { columnNames }: Cursor = database.exec(sql, ...bindings)
    return { columns: columnNames, error: null }
  } catch (cause) {
    return { columns: [], error: (cause as Error).message }
  } finally {
    database.exec('ROLLBACK TO one_statement')
    database.exec('RELEASE one_statement')
  }
}

const isOfRows = (error: string): boolean => /(UNIQUE|CHECK) constraint failed/.test(error)
