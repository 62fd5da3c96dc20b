import { containerSettings } from './container-settings.ts'
import { launchSettings } from './launch-settings.ts'
import { readSetting, type ValueOf } from './rules.ts'
import { secretSettings } from './secret-settings.ts'
import type { Program, Setting } from './setting.ts'
import { workerSettings } from './worker-settings.ts'

/**
 * Every setting of every program, in the order of the tables in README.md and docs/self-hosting.md. What the programs
 * read, what `npm start` and the own server pass on, the tables and the error messages come from it.
 */
const settings = { ...launchSettings, ...containerSettings, ...workerSettings, ...secretSettings }

type Settings = typeof settings
export type SettingName = keyof Settings

type NamesOf<P extends Program> = {
  [Name in SettingName]: P extends keyof Settings[Name]['takenBy'] ? Name : never
}[SettingName]

/** The row of a setting as it is for one program. */
type RowOf<Row, P extends Program> = Row extends { takenBy: { [Key in P]: infer Difference } }
  ? Omit<Row, keyof Difference> & Difference
  : never

/** What a program finds in its environment. null: not set, and without a default. */
export type Values<P extends Program> = { [Name in NamesOf<P>]: ValueOf<RowOf<Settings[Name], P>> }

type Launcher = 'start' | 'selfHost'

export type Environment = Record<string, string | undefined>

/** The rows that a program takes, as they are there. */
export const rowsOf = (program: Program): [name: string, row: Setting][] =>
  Object.entries<Setting>(settings).flatMap(([name, row]) => {
    const difference = row.takenBy[program]
    return difference ? [[name, { ...row, ...difference }]] : []
  })

/** Throws a sentence for each setting that is wrong. */
export const readEnvironment = <P extends Program>(program: P, env: Environment): Values<P> => {
  const problems = problemsIn(program, env)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return Object.fromEntries(
    rowsOf(program).map(([name, row]) => [name, readSetting(name, row, env[name])]),
  ) as Values<P>
}

/** A sentence for each setting that is wrong. */
export const problemsIn = (program: Program, env: Environment): string[] =>
  rowsOf(program).flatMap(([name, row]) => {
    try {
      readSetting(name, row, env[name])
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  })

/** The names of what an operator sets for `by`, and `to` takes. */
export const passedOn = (by: Launcher, to: 'worker' | 'container'): string[] =>
  rowsOf(by).flatMap(([name, row]) => (row.takenBy[to] ? [name] : []))

/** What `by` takes by default where that is another value than `to` has of its own. */
export const ownDefaults = (by: Launcher, to: 'worker' | 'container'): Record<string, string> => {
  const others = new Map(rowsOf(to))
  return Object.fromEntries(
    rowsOf(by).flatMap(([name, row]) => {
      const other = others.get(name)
      return other && row.default !== undefined && row.default !== other.default ? [[name, row.default]] : []
    }),
  )
}

/** What is passed on without secrets, which have a file: other users of the machine see a program's arguments. */
export const passedOnOpenly = (by: Launcher, to: 'worker' | 'container'): string[] =>
  rowsOf(by).flatMap(([name, row]) => (row.takenBy[to] && !row.isSecret ? [name] : []))
