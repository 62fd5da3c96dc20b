import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type FaultClass, faultClasses } from '../faults/fault-classes.ts'
import { mutants } from '../mutants.ts'

export const usage = `npm run simulate -- [options]

  --for 30m          run histories for so long: 90s, 30m, 8h (60s without --count and --seed)
  --count 100        run so many histories
  --from 1           the first seed
  --seed 7           run one history
  --acts 100         acts in a history
  --faults a,b       only faults of these classes
  --keep act-1,act-2 only these acts
  --tell imp_1,FAULT with --seed: print what happened, lines with one of these words (all: --tell '')
  --cores 2          processes
  --mutant name      plant this bug
  --mutants          plant each bug of mutants.ts, and tell which are found within --for (60s)
  --no-shrink        do not look for the smallest history that breaks the same rule
`

export interface Options {
  seed: string | null
  from: number
  count: number | null
  forMs: number | null
  acts: number
  faults: FaultClass[] | null
  keep: Set<string> | null
  tell: string[] | null
  cores: number
  mutant: string | null
  allMutants: boolean
  shrinks: boolean
}

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const

const durationOf = (text: string): number | null => {
  const [, number, unit] = /^(\d+)([smh])$/.exec(text) ?? []
  return number === undefined ? null : Number(number) * units[unit as keyof typeof units]
}

const listOf = (text: string | undefined): string[] | null =>
  text === undefined ? null : text.split(',').filter((word) => word !== '')

export const readOptions = (args: string[]): Options | { problem: string } => {
  let values: ReturnType<typeof parse>
  try {
    values = parse(args)
  } catch (cause) {
    return { problem: (cause as Error).message }
  }
  const faults = listOf(values.faults)
  const unknown = faults?.find((name) => !(faultClasses as string[]).includes(name))
  if (unknown !== undefined) return { problem: `${unknown} is no class of faults: ${faultClasses.join(', ')}` }
  const { mutant = null } = values
  if (mutant !== null && !(mutant in mutants))
    return { problem: `${mutant} is no mutant: ${Object.keys(mutants).join(', ')}` }
  const forMs = values.for === undefined ? null : durationOf(values.for)
  if (values.for !== undefined && forMs === null) return { problem: `--for ${values.for} is no duration` }
  const keep = listOf(values.keep)
  const isEndless = values.count === undefined && values.seed === undefined
  return {
    seed: values.seed ?? null,
    from: Number(values.from),
    count: values.count === undefined ? null : Number(values.count),
    forMs: forMs ?? (isEndless ? units.m : null),
    acts: Number(values.acts),
    faults: faults as FaultClass[] | null,
    keep: keep && new Set(keep),
    tell: listOf(values.tell),
    cores: values.cores === undefined ? availableParallelism() : Number(values.cores),
    mutant,
    allMutants: values.mutants,
    shrinks: !values['no-shrink'],
  }
}

const parse = (args: string[]) =>
  parseArgs({
    args,
    options: {
      for: { type: 'string' },
      count: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      acts: { type: 'string', default: '100' },
      faults: { type: 'string' },
      keep: { type: 'string' },
      tell: { type: 'string' },
      cores: { type: 'string' },
      mutant: { type: 'string' },
      mutants: { type: 'boolean', default: false },
      'no-shrink': { type: 'boolean', default: false },
    },
  }).values
