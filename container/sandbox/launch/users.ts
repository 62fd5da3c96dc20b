/**
 * User ids for child processes, where this process is root. Each child has an id of its own, so that no child may
 * signal another one or open its files, and so that the kernel counts its processes alone.
 */
export type ChildUser = NonNullable<ReturnType<typeof takeUser>>

/** Ids from here on belong to nobody, and need no entry in /etc/passwd. */
const FIRST_ID = 200_000
/** Far more than there are places. */
const IDS_OF_A_PROCESS = 512

/** Two containers on one machine have different process ids, so they use different user ids. */
const firstId = FIRST_ID + process.pid * IDS_OF_A_PROCESS
/** For a user namespace that has them all. */
export const userRange = { first: firstId, end: firstId + IDS_OF_A_PROCESS } as const

const taken = new Set<number>()
let last = -1

/** Null where this process may not choose user ids. Its children then have its own. */
export const takeUser = () => {
  if (process.getuid?.() !== 0) return null
  if (taken.size === IDS_OF_A_PROCESS) throw new Error('all user ids for child processes are taken')
  // The next id and not the lowest, so that an id is not used again right after its child.
  do last = (last + 1) % IDS_OF_A_PROCESS
  while (taken.has(last))
  const offset = last
  taken.add(offset)
  /** `release` is called when all processes of the child have ended. */
  return { id: firstId + offset, release: () => taken.delete(offset) }
}
