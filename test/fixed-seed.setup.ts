import { configureGlobal } from 'fast-check'

/** A fixed seed: a counterexample appears when the code changes, and not at random. */
configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261121) })
