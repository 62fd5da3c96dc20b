import { availableParallelism } from 'node:os'
import { type HistoryOptions, type HistoryResult, runHistory } from '../history.ts'
import { mutants } from '../mutants.ts'
import { shrink } from '../shrink.ts'
import type { Options } from './options.ts'
import { Processes } from './processes.ts'
import { addTo, type Counts, commandFor, countsText, newCounts, resultText, totalsText, unreached } from './report.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** How many histories a failure may cost until it is small. */
const SHRINK_RUNS = 150
/** From so many histories on, every fault class and every kind of act must have happened. */
const ENOUGH_HISTORIES = 300

/** The exit code: 1 if an invariant was broken, or a mutant was not found. */
export const simulate = async (options: Options): Promise<number> => {
  if (options.allMutants) return findMutants(options)
  if (options.seed !== null) return runOne(options, options.seed)
  return runMany(options)
}

const historyOptions = ({ acts, faults, keep }: Options, seed: string): HistoryOptions => ({ seed, acts, faults, keep })

const runOne = async (options: Options, seed: string): Promise<number> => {
  const result = await runHistory({ ...historyOptions(options, seed), isTold: options.tell !== null })
  say(resultText(seed, result))
  if (options.tell) say(result.story.of(options.tell).join('\n'))
  return result.violations.length > 0 ? 1 : 0
}

const runMany = async (options: Options): Promise<number> => {
  const counts = newCounts()
  const startedAt = Date.now()
  const failed = await new Processes(options).run(
    (message) => addTo(counts, message),
    () => tellProgress(counts, startedAt),
  )
  say(countsText(counts))
  say(totalsText(counts, Date.now() - startedAt))
  if (failed !== null) {
    await explain(options, failed)
    return 1
  }
  const missing = unreached(counts)
  if (counts.histories < ENOUGH_HISTORIES || options.faults || missing.length === 0) return 0
  say(`These never happened: ${missing.join(', ')}`)
  return 1
}

const tellProgress = (counts: Counts, startedAt: number): void => say(totalsText(counts, Date.now() - startedAt))

/** Prints the history that failed, and the smallest one that breaks the same rule. */
const explain = async (options: Options, seed: string): Promise<void> => {
  const found = await runHistory(historyOptions(options, seed))
  say(`\n${resultText(seed, found)}`)
  say(`Repeat it: ${commandFor(options, seed, options.faults ? { faults: options.faults } : {})}`)
  const [first] = found.violations
  if (!first || !options.shrinks) return
  const smallest = await shrink(historyOptions(options, seed), found, first.rule, SHRINK_RUNS)
  const { faults, acts } = smallest
  const told = await runHistory({ ...historyOptions(options, seed), faults, keep: new Set(acts), isTold: true })
  const [violation] = told.violations
  say(
    `\nThe smallest history that breaks the same rule has ${acts.length} acts and ${faults.length} classes of faults:`,
  )
  say(commandFor(options, seed, { faults, acts }))
  if (violation) say(storyOf(told, violation.subject))
}

const LINES = 60

const storyOf = ({ story, violations }: HistoryResult, subject: string): string => {
  const lines = story.of([subject, 'FAULT', 'ACT', 'BROKEN'])
  const end = lines.findIndex((line) => line.includes('BROKEN'))
  const shown = lines.slice(Math.max(0, end + 1 - LINES), end + 1)
  const rules = violations.map(({ rule, text }) => `${rule}: ${text}`).join('\n  ')
  return `\nThe story of ${subject}:\n${shown.map((line) => line.slice(0, 240)).join('\n')}\n\n  ${rules}`
}

const findMutants = async (options: Options): Promise<number> => {
  let missed = 0
  for (const [mutant, { faults = options.faults }] of Object.entries(mutants)) {
    const counts = newCounts()
    const startedAt = Date.now()
    const processes = new Processes({
      ...options,
      ...{ mutant, faults },
      forMs: options.forMs ?? 60_000,
      cores: availableParallelism(),
    })
    const failed = await processes.run((message) => addTo(counts, message))
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1)
    const rule = [...counts.rules.keys()][0]
    if (failed === null) missed += 1
    say(
      `${failed === null ? 'MISSED' : 'found '} ${seconds.padStart(5)} s  ${mutant}${rule ? ` — ${rule} (seed ${failed})` : ''}`,
    )
  }
  return missed > 0 ? 1 : 0
}
