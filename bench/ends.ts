import { startReceiver } from '../test/doubles/webhook-receiver.ts'
import { type Account, byEvents, byWait, importAtOnce, newAccounts } from './accounts.ts'
import { withHauls } from './start-hauls.ts'
import { median, percentile } from './timing.ts'

const JOBS = 40
const PATH = '/ended'

/**
 * How late the end of an import is known: from `completedAt` to the last byte of the response with `wait=30`, or of the
 * stream of its events, and to the arrival of its webhook. 40 small imports at once, each from an account of its own.
 * The ways take turns, and so does HAUL_BEFORE.
 */
export const benchEnds = async (print: (line: string) => void, { runs = 3 } = {}): Promise<void> => {
  const receiver = await startReceiver()
  await withHauls(
    async ({ hauls, song: url }) => {
      const songs = Array.from({ length: JOBS }, () => ({ url }))
      const webhookUrl = receiver.url + PATH
      const byWebhook = async (accounts: Account[]): Promise<number[]> => {
        const earlier = receiver.at(PATH).length
        await importAtOnce(
          accounts,
          songs.map((song) => ({ ...song, webhookUrl })),
          byWait,
        )
        const received = await receiver.wait(PATH, earlier + JOBS)
        return received.slice(earlier).map(({ at, body }) => at - Date.parse(JSON.parse(body).data.completedAt))
      }
      const ways = {
        'wait=30': (accounts: Account[]) => importAtOnce(accounts, songs, byWait),
        'events of the job': (accounts: Account[]) => importAtOnce(accounts, songs, byEvents),
        webhook: byWebhook,
      }
      const sides = await Promise.all(hauls.map((haul) => newAccounts(haul, JOBS)))
      for (const accounts of sides) await importAtOnce(accounts, songs, byWait)
      const measured = Object.entries(ways).flatMap(([way, importAll]) =>
        sides.map((accounts, side) => ({
          name: side === 0 ? way : `${way}, before`,
          importAll: () => importAll(accounts),
          lateMs: [] as number[],
        })),
      )
      for (let run = 0; run < runs; run++)
        for (const { importAll, lateMs } of measured) lateMs.push(...(await importAll()))
      for (const { name, lateMs } of measured) {
        const [p99, most] = [percentile(lateMs, 0.99), Math.max(...lateMs)]
        print(
          `${name}: ${median(lateMs)} ms after completedAt, p99 ${p99} ms, at most ${most} ms, of ${lateMs.length} (goal 25 ms, p99 150 ms)`,
        )
      }
    },
    [receiver],
  ).finally(() => receiver.close())
}
