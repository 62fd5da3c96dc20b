import { sleep } from '../sleep.ts'
import type { Scene } from './act.ts'

/** As EventSource does: a stream that breaks is opened again. */
export const followToItsEnd = async (
  account: Scene['account'],
  { clock }: Scene['world'],
  path: string,
): Promise<void> => {
  for (let isTold = false; !isTold; await sleep(1_000)) {
    const openedAt = clock.now
    let untilAt: number | null = null
    await account.listen(`${path}/events`, 600_000, ({ data }) => {
      if (completedAtOf(JSON.parse(data || '{}')) !== null) untilAt ??= clock.now
    })
    isTold = untilAt !== null
    untilAt ??= clock.now
    const answer = await account.ask('GET', path)
    if (answer?.status === 404 || answer?.status === 401) return
    const completedAt = completedAtOf(answer?.body.data ?? {})
    if (completedAt !== null) account.told.push({ path, lateMs: untilAt - Math.max(openedAt, completedAt) })
  }
}

const completedAtOf = ({ completedAt = null }: { completedAt?: string | null }): number | null =>
  completedAt === null ? null : Date.parse(completedAt)
