import { createHash } from 'node:crypto'
import type { Clock } from './clock.ts'

/** A digest of all events that run from now on: equal for equal histories. */
export const digestOfEvents = (clock: Clock): { digest(): string } => {
  const hash = createHash('sha256')
  clock.onEvent = ({ at, label, owner }) => hash.update(`${at} ${label} ${owner?.number ?? ''} ${owner?.name ?? ''}\n`)
  return { digest: () => hash.digest('hex') }
}
