import { configureGlobal } from 'fast-check'
import { runs } from './runs.ts'

/** A fixed seed: a counterexample appears when the code changes, and not at random. */
configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261121), ...runs(100) })
