import { batches } from './batches.ts'
import { budgets } from './budgets.ts'
import { directory } from './directory.ts'
import { events } from './events.ts'
import { fleet } from './fleet.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import { liveness } from './liveness.ts'
import { money } from './money.ts'
import { prices } from './prices.ts'
import { providers } from './providers.ts'
import { search } from './search.ts'
import type { Invariants } from './seen.ts'
import { storage } from './storage.ts'
import { watches } from './watches.ts'
import { webhooks } from './webhooks.ts'
import { words } from './words.ts'

/** New for each history, because some remember what they have seen. */
export const allInvariants = (): Invariants[] => [
  money(),
  jobs(),
  budgets(),
  keys(),
  prices(),
  batches(),
  events(),
  webhooks(),
  storage(),
  providers(),
  directory(),
  fleet(),
  liveness(),
  words(),
  watches(),
  search(),
]
