import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineState, ExtractorState, Health } from '../domain/protocol/protocol.ts'
import { ffmpeg, ffprobe } from './media/ffmpeg.ts'
import { toReport } from './media/spending.ts'
import type { SandboxState } from './sandbox/walls.ts'
import type { Disk } from './steps/disk.ts'
import type { StepPool } from './steps/run.ts'

const VERSION_TIMEOUT_MS = 10_000

export interface CheckedParts {
  sandbox: SandboxState
  extractors: { ready(): Promise<void>; readonly state: ExtractorState }
  recognizer: { health(): Promise<true | string> }
  speakers: { health(): Promise<true | string> }
  tokenProvider: { health(): Promise<true | string> } | null
}

/** Creates the handler of GET /health. ffmpeg is checked once, because it cannot change while the container runs. */
export const createHealth = (
  pool: Pick<StepPool, 'running' | 'draining'>,
  capacity: number,
  { extractors, recognizer, speakers, sandbox, tokenProvider }: CheckedParts,
): (() => Promise<Health>) => {
  let media: Promise<Part> | undefined
  return async () => {
    media ??= partOf(() => runsVersion(ffmpeg, 'ffmpeg').then(() => runsVersion(ffprobe, 'ffprobe')))
    const parts = {
      ffmpeg: await media,
      'yt-dlp': await Promise.race([partOf(() => extractors.ready()), stillStarting()]),
      // Optional: deployments that use Workers AI have no speech engine.
      speech: await recognizer.health(),
      speakers: await speakers.health(),
      sandbox: sandbox.health,
      ...(tokenProvider && { tokens: await tokenProvider.health() }),
    }
    const isHealthy = parts.ffmpeg === true && parts['yt-dlp'] === true && sandbox.mayWork
    const status = pool.draining ? 'stopping' : isHealthy ? 'ok' : 'degraded'
    return { status, running: pool.running, capacity, parts, extractor: extractors.state }
  }
}

/** Creates the handler of GET /state, which waits for nothing. */
export const createState =
  (
    pool: Pick<StepPool, 'steps' | 'draining'>,
    {
      places,
      disk,
      sandbox,
      extractors,
      speakers,
    }: {
      places: EngineState['places']
      disk: Disk
      sandbox: SandboxState
      extractors: { readonly state: ExtractorState }
      speakers: { lookAgain(): boolean | undefined }
    },
  ): (() => EngineState) =>
  () => {
    const hasSpeakers = speakers.lookAgain()
    return {
      uptimeMs: Math.round(process.uptime() * 1_000),
      status: pool.draining ? 'draining' : sandbox.mayWork ? 'ok' : 'unfit',
      places,
      diskBytes: disk.totalBytes,
      extractor: extractors.state,
      ...(hasSpeakers !== undefined && { speakers: hasSpeakers }),
      running: pool.steps,
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

const runsVersion = async (tool: typeof ffmpeg, name: string): Promise<void> => {
  const limits = { timeoutMs: VERSION_TIMEOUT_MS, spends: toReport }
  const options = { signal: AbortSignal.timeout(VERSION_TIMEOUT_MS), ...limits }
  const { code } = await tool(['-version'], { ...options, reads: [] })
  if (code !== 0) throw new Error(`${name} does not run`)
}
