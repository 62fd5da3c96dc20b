import { setTimeout as sleep } from 'node:timers/promises'
import { type Haul, HaulApiError } from '../../../../client/src/index.ts'
import type { Health } from '../../../../domain/protocol/protocol.ts'
import type { FullCanary } from '../trial.ts'

/** On a machine that has never had the image, it is fetched first. */
const START_TIMEOUT_MS = 300_000
const ASK_AGAIN_MS = 1_000
/** What a fleet starts in a second. */
const STARTS_PER_SECOND = 5
const MANY = 20

const NO_OPERATOR = 'NOT TESTED: containers, which need ADMIN_TOKEN'
const ELSEWHERE = 'NOT TESTED: containers, because the engines run elsewhere (ENGINE_URLS)'

type Needed = Pick<FullCanary, 'operator' | 'target'>

export const firstContainer = {
  title: 'canary: one container and its walls',
  run: (canary: Needed): Promise<string> =>
    withSpares(canary, 1, async (start) => {
      const { seconds, health } = await start(0)
      const parts = Object.entries(health.parts).map(([name, state]) => `${name}: ${state === true ? 'works' : state}`)
      const said = `ready after ${seconds.toFixed(1)} s. ${parts.join('; ')}`
      if (health.status === 'ok') return said
      throw new Error(`The container can run no step: ${said}. See docs/operating.md, "The first day".`)
    }),
}

export const manyContainers = {
  title: `canary: up to ${MANY} containers at once`,
  run: (canary: Needed): Promise<string> => {
    const count = Math.min(MANY, Number(canary.target.vars.MAX_ENGINES || MANY))
    return withSpares(canary, count, async (start) => {
      const waiting = Array.from({ length: count }, async (_, number) => {
        await sleep((number * 1_000) / STARTS_PER_SECOND)
        return start(number)
      })
      const results = await Promise.allSettled(waiting)
      const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      const times = started.map(({ seconds }) => seconds).sort((a, b) => a - b)
      const said = `${times.length} of ${count} ready, ${summary(times)}`
      const failed = results.find((result) => result.status === 'rejected')
      if (!failed) return said
      if (areElsewhere(failed.reason)) throw failed.reason
      throw new Error(
        `${said}. ${failed.reason.message} Set MAX_ENGINES and max_instances to what the account may have, or ask Cloudflare for more.`,
      )
    })
  },
}

/** "the first after 2.0 s, half of them after 3.1 s, the last after 8.2 s". */
export const summary = (sorted: readonly number[]): string => {
  const at = (index: number) => `${(sorted[index] ?? Number.NaN).toFixed(1)} s`
  if (sorted.length === 0) return 'none'
  const half = Math.ceil(sorted.length / 2) - 1
  return `the first after ${at(0)}, half of them after ${at(half)}, the last after ${at(sorted.length - 1)}`
}

interface Started {
  seconds: number
  health: Health
}

type Start = (number: number) => Promise<Started>

const withSpares = async (
  { operator }: Needed,
  count: number,
  use: (start: Start) => Promise<string>,
): Promise<string> => {
  if (!operator) return NO_OPERATOR
  try {
    return await use((number) => startSpare(operator, number))
  } catch (error) {
    if (areElsewhere(error)) return ELSEWHERE
    throw error
  } finally {
    const numbers = Array.from({ length: count }, (_, number) => number)
    // If a request fails, the container stops by itself after 15 minutes.
    await Promise.allSettled(numbers.map((number) => operator.request('DELETE', pathOf(number))))
  }
}

const areElsewhere = (error: unknown): boolean => error instanceof HaulApiError && error.status === 404

const pathOf = (number: number): string => `/admin/spare-engines/${number}`

interface Answer {
  state: 'running' | 'starting' | 'full' | 'failed'
  health: Health | null
}

const startSpare = async (operator: Haul, number: number): Promise<Started> => {
  const since = performance.now()
  for (;;) {
    const { state, health } = await operator.request<Answer>('POST', pathOf(number))
    const elapsedMs = performance.now() - since
    // yt-dlp needs some seconds more to start. A sandbox that fails its check does not recover.
    const isKnown = health?.status === 'ok' || health?.parts.sandbox !== true || elapsedMs > START_TIMEOUT_MS
    if (health && isKnown) return { seconds: elapsedMs / 1_000, health }
    if (state === 'failed')
      throw new Error('A container ended before it answered. The logs of the Worker have what it printed.')
    if (elapsedMs > START_TIMEOUT_MS)
      throw new Error(`A container did not answer within ${START_TIMEOUT_MS / 60_000} minutes (${reasons[state]}).`)
    await sleep(ASK_AGAIN_MS)
  }
}

const reasons = {
  running: 'it runs, and its health cannot be read',
  starting: 'it is still starting',
  full: 'the platform starts no further container',
}
