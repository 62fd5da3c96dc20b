import { type Account, importOf, newAccounts } from './accounts.ts'
import { withHauls } from './start-hauls.ts'
import { median, seconds } from './timing.ts'

const ACCOUNTS = 60
const IMPORTS_EACH = 10
/** What the contract allows an account to have at a time. */
const AT_A_TIME = 2

/** How fairly and how fast many accounts are served by one machine. */
export const benchFleet = (print: (line: string) => void, { runs = 1 } = {}): Promise<void> =>
  withHauls(async ({ hauls, song }) => {
    const sides = await Promise.all(hauls.map((haul) => newAccounts(haul, ACCOUNTS)))
    for (const [account] of sides) await importOf(account as Account, { url: song })
    for (let run = 0; run < runs; run++)
      for (const [side, accounts] of sides.entries())
        print(
          `${ACCOUNTS} accounts with ${IMPORTS_EACH} imports of 480 kB${side === 0 ? '' : ', before'}: ${await line(accounts, song)}`,
        )
  })

const line = async (accounts: Account[], url: string): Promise<string> => {
  const waits: number[][] = []
  const took = await seconds(async () => {
    waits.push(...(await Promise.all(accounts.map((account) => waitsOf(account, url)))))
  })
  const all = waits.flat()
  const perSecond = all.length / took
  const medians = waits.map(median)
  const fairWait = (ACCOUNTS * AT_A_TIME) / perSecond
  const slowest = Math.max(...all)
  return (
    `${perSecond.toFixed(1)} jobs/s, slowest ${slowest.toFixed(1)} s, ` +
    `${(slowest / fairWait).toFixed(2)} of jobs waiting / jobs per second (goal 1.3), ` +
    `medians of accounts ${Math.min(...medians).toFixed(1)} to ${Math.max(...medians).toFixed(1)} s (goal 1.5 times)`
  )
}

/** The seconds of each import, from POST to completed. */
const waitsOf = async (account: Account, url: string): Promise<number[]> => {
  const waits: number[] = []
  const work = async (): Promise<void> => {
    for (let i = 0; i < IMPORTS_EACH / AT_A_TIME; i++) waits.push(await seconds(() => importOf(account, { url })))
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return waits
}
