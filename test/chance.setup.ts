import { configureGlobal } from 'fast-check'

/** The same chances in every run: a counterexample is found when the code changes, not when the day does. */
configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261121) })
