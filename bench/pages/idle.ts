import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient } from '../../test/support/product/api-client.ts'
import type { Haul } from '../start-hauls.ts'

/** The samples are requests themselves, so they are few. */
const SAMPLE_MS = 100

/** The share of all cores' time that is idle while steps wait for places. NaN if none waits. */
export const idleWhileWaiting = async (
  { baseUrl, adminToken }: Haul,
  work: () => Promise<unknown>,
): Promise<number> => {
  const operator = createApiClient(baseUrl, adminToken)
  const sample = async () => {
    const { body } = await operator.request('GET', '/admin/engines')
    const waiting: { count: number }[] = body.data.waiting
    return { isWaiting: waiting.some(({ count }) => count > 0), ...(await coreTicks()) }
  }
  let isWorking = true
  const working = work().finally(() => {
    isWorking = false
  })
  const spent = { idle: 0, all: 0 }
  for (let last = await sample(); isWorking; ) {
    await sleep(SAMPLE_MS)
    const now = await sample()
    if (last.isWaiting && now.isWaiting) {
      spent.idle += now.idle - last.idle
      spent.all += now.all - last.all
    }
    last = now
  }
  await working
  return spent.idle / spent.all
}

/** The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal of all cores. */
const coreTicks = async (): Promise<{ idle: number; all: number }> => {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const [, , , idle = 0, ioWait = 0] = ticks
  return { idle: idle + ioWait, all: ticks.reduce((sum, each) => sum + each, 0) }
}
