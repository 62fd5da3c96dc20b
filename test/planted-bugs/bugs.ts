import { clientBugs } from './clients.ts'
import { containerBugs } from './container.ts'
import { domainBugs } from './domain.ts'
import type { TestedBug } from './planted-bug.ts'
import { serverBugs } from './servers.ts'
import { watchBugs } from './watches.ts'
import { workerBugs } from './worker.ts'

/**
 * Bugs of every room, which `npm run plant` plants to see whether a test finds them. Those of the protocol of steps are in
 * test/simulation/mutants.ts: histories find them.
 */
export const bugs: Record<string, TestedBug> = {
  ...domainBugs,
  ...watchBugs,
  ...workerBugs,
  ...containerBugs,
  ...clientBugs,
  ...serverBugs,
}

/** The others are found by `npm run test:all` only. */
export const isFoundByNpmTest = ({ foundBy }: TestedBug): boolean =>
  foundBy.some((file) => !file.startsWith('test/further/') && !file.startsWith('test/clients/'))
