import { programSettings } from './program-settings.ts'
import { type Program, readSetting, type Setting, usualPrograms, type ValueOf } from './setting.ts'
import { workerSettings } from './worker-settings.ts'

/** All settings, in the order of docs/settings.md. Reading, passing on, the tables and the error messages use this list. */
const settings = { ...programSettings, ...workerSettings }

type Settings = typeof settings

type TakenBy<Row> = Row extends { takenBy: readonly (infer By)[] } ? By : (typeof usualPrograms)[number]

export type NamesOf<P extends Program> = {
  [Name in keyof Settings]: P extends TakenBy<Settings[Name]> ? Name : never
}[keyof Settings]

type RowOf<Row, P extends Program> = Row extends { differs: { [Key in P]: infer Difference } }
  ? Omit<Row, keyof Difference> & Difference
  : Row

/** What a program finds in its environment. null: not set, and without a default. */
export type Values<P extends Program> = { [Name in NamesOf<P>]: ValueOf<RowOf<Settings[Name], P>> }

export type SecretName = {
  [Name in keyof Settings]: Settings[Name] extends { isSecret: true } ? Name : never
}[keyof Settings]

export type Environment = Record<string, string | undefined>

type Given<P extends Program> = { [Name in NamesOf<P>]?: string | undefined }

type Row = [name: string, row: Setting]

export const allRows: Row[] = Object.entries<Setting>(settings)

export const takes = (program: Program, { takenBy = usualPrograms }: Setting): boolean => takenBy.includes(program)

export const rowsOf = (program: Program): Row[] =>
  allRows.flatMap(([name, row]) => (takes(program, row) ? [[name, { ...row, ...row.differs?.[program] }]] : []))

const read = (rows: Row[], env: Environment) => {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, row] of rows) {
    try {
      values[name] = readSetting(name, row, env[name])
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  return { values, problems }
}

export const problemsIn = (program: Program, env: Environment): string[] => read(rowsOf(program), env).problems

const valuesIn = (rows: Row[], env: Environment): object => {
  const { values, problems } = read(rows, env)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return values
}

export const readEnvironment = <P extends Program>(program: P, env: Given<P>): Values<P> =>
  valuesIn(rowsOf(program), env) as Values<P>

/** Without secrets, whose mistakes stop only what needs them. */
export const readOpenly = <P extends Program>(program: P, env: Given<P>): Omit<Values<P>, SecretName> =>
  valuesIn(withoutSecrets(rowsOf(program)), env) as Values<P>

const withoutSecrets = (rows: Row[]): Row[] => rows.filter(([, { isSecret }]) => !isSecret)

/**
 * What `by` passes on to `to`, which takes it too: settings that are set, and defaults of `by` that `to` does not share. Secrets
 * of the Worker are passed in a file instead, because other users of the machine can see a program's arguments.
 */
export const passedOn = <P extends Program>(
  by: P,
  to: 'worker' | 'container',
  env: Given<P>,
): Record<string, string> => {
  const others = new Map(to === 'worker' ? withoutSecrets(rowsOf(to)) : rowsOf(to))
  return Object.fromEntries(
    rowsOf(by).flatMap(([name, row]) => {
      const other = others.get(name)
      const value = (env as Environment)[name] || (row.default === other?.default ? '' : row.default)
      return other && value ? [[name, `${value}`]] : []
    }),
  )
}
