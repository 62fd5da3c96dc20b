import { runHistory } from '../../../simulation/history.ts'
import { type DatabaseName, databaseNames, onOneLine } from './databases.ts'

/** A statement of the product, with the values of its first run. */
export interface Statement {
  sql: string
  bindings: unknown[]
}

export type Statements = Record<DatabaseName, Statement[]>

/**
 * The distinct statements of some simulated histories. Of the statements that update different columns of the same rows,
 * those are kept that name a column which no earlier one names.
 */
export const recordStatements = async (seeds: Iterable<number>): Promise<Statements> => {
  const found = Object.fromEntries(databaseNames.map((name) => [name, new Map()])) as Record<
    DatabaseName,
    Map<string, Statement>
  >
  for (const seed of seeds) {
    await runHistory({
      seed: `${seed}`,
      // Otherwise nothing would be old enough to be removed.
      ...(seed % 2 === 1 && { vars: { JOB_HISTORY_DAYS: '1' } }),
      onStatement: (database, text, bindings) => {
        const statements = found[database as DatabaseName]
        if (!statements || statements.has(text)) return
        statements.set(text, { sql: onOneLine(text), bindings: [...bindings] })
      },
    })
  }
  const statementsOf = (name: DatabaseName): Statement[] =>
    withoutRepeatedColumns([...found[name].values()].filter(({ sql }) => !isMigration(sql)))
  return Object.fromEntries(databaseNames.map((name) => [name, statementsOf(name)])) as Statements
}

const isMigration = (sql: string): boolean => /^(CREATE|ALTER|DROP)/.test(sql)

const withoutRepeatedColumns = (statements: Statement[]): Statement[] => {
  const named = new Set<string>()
  return statements.filter(({ sql }) => {
    const [, table, set, where] = /^UPDATE (\w+) SET ((?:\w+ = \?(?:, )?)+) WHERE (.*)$/.exec(sql) ?? []
    if (set === undefined) return true
    const columns = set.split(', ').map((column) => `${table} ${column} ${where}`)
    const isNew = columns.some((column) => !named.has(column))
    for (const column of columns) named.add(column)
    return isNew
  })
}
