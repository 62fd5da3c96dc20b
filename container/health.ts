import { setTimeout as sleep } from 'node:timers/promises'
import type { Health } from '../domain/protocol/protocol.ts'
import { isolation, run } from './sandbox/process.ts'
import type { StepPool } from './steps/step-pool.ts'

const VERSION_TIMEOUT_MS = 10_000

export interface CheckedPrograms {
  extractor: { ready(): Promise<void> }
  recognizer: { health(): Promise<true | string> }
}

/** Creates the handler of GET /health. ffmpeg is checked once, because it cannot change while the container runs. */
export const createHealth = (pool: StepPool, { extractor, recognizer }: CheckedPrograms): (() => Promise<Health>) => {
  const ffmpeg = partOf(() => runsVersion('ffmpeg').then(() => runsVersion('ffprobe')))
  return async () => {
    const parts = {
      ffmpeg: await ffmpeg,
      'yt-dlp': await Promise.race([partOf(() => extractor.ready()), stillStarting()]),
      // Optional: deployments that use Workers AI have no speech engine.
      speech: await recognizer.health(),
      sandbox: await sandboxPart(),
    }
    const isHealthy = parts.ffmpeg === true && parts['yt-dlp'] === true
    const status = pool.stopping ? 'stopping' : isHealthy ? 'ok' : 'degraded'
    return { status, running: pool.running, capacity: pool.capacity, parts }
  }
}

/** true, or a sentence that describes what is wrong. */
type Part = true | string

/** The extractor's first start takes a second or two, so requests during the start wait for it up to this long. */
const START_TIMEOUT_MS = 3_000
const stillStarting = (): Promise<Part> => sleep(START_TIMEOUT_MS, 'is still starting', { ref: false })

const partOf = (check: () => Promise<unknown>): Promise<Part> =>
  check().then(
    () => true,
    (error: Error) => error.message,
  )

const runsVersion = async (program: string): Promise<void> => {
  const { code } = await run(program, ['-version'], {
    signal: AbortSignal.timeout(VERSION_TIMEOUT_MS),
    timeoutMs: VERSION_TIMEOUT_MS,
  })
  if (code !== 0) throw new Error(`${program} does not run`)
}

/** Reported without an effect on the status: steps run without isolation too, but less protected. */
const sandboxPart = async (): Promise<Part> => {
  const { network, limits } = await isolation()
  if (network === 'none')
    return "child processes share the container's network: this system does not allow network namespaces"
  return limits || 'child processes have no resource limits: prlimit or setpriv is missing'
}
