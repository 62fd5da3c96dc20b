import { setTimeout as pause } from 'node:timers/promises'
import { isolation, run } from './process.ts'
import type { Health } from './protocol.ts'
import type { Desk } from './steps/desk.ts'

const FFMPEG_TIMEOUT_MS = 10_000

export interface Programs {
  extractor: { ready(): Promise<void> }
  recognizer: { health(): Promise<true | string> }
}

/** Tells how the container is. What can't change while it runs is asked once. */
export const createHealth = (desk: Desk, { extractor, recognizer }: Programs): (() => Promise<Health>) => {
  const ffmpeg = working(() => runs('ffmpeg').then(() => runs('ffprobe')))
  return async () => {
    const parts = {
      ffmpeg: await ffmpeg,
      'yt-dlp': await Promise.race([working(() => extractor.ready()), starting()]),
      // Without it everything else works, and where Workers AI hears there is none.
      speech: await recognizer.health(),
      sandbox: await sandboxed(),
    }
    const isWell = parts.ffmpeg === true && parts['yt-dlp'] === true
    const status = desk.stopping ? 'stopping' : isWell ? 'ok' : 'degraded'
    return { status, running: desk.running, capacity: desk.capacity, parts }
  }
}

type Part = true | string

/** A first start takes a second or two; who asks meanwhile waits for it, but not for ever. */
const START_MS = 3_000
const starting = (): Promise<Part> => pause(START_MS, 'is still starting', { ref: false })

const working = (check: () => Promise<unknown>): Promise<Part> =>
  check().then(
    () => true,
    (error: Error) => error.message,
  )

const runs = async (program: string): Promise<void> => {
  const { code } = await run(program, ['-version'], {
    signal: AbortSignal.timeout(FFMPEG_TIMEOUT_MS),
    timeoutMs: FFMPEG_TIMEOUT_MS,
  })
  if (code !== 0) throw new Error(`${program} does not run`)
}

/** Works without, but less well kept apart: said, and no reason to send nobody here. */
const sandboxed = async (): Promise<Part> => {
  const { network, limits } = await isolation()
  if (network === 'none') return 'children share our network: this system allows no network namespaces'
  return limits || 'children have no resource limits: prlimit or setpriv is missing'
}
