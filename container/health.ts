import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineState, ExtractorState, Health } from '../domain/protocol/protocol.ts'
import { ffmpeg, ffprobe } from './media/ffmpeg.ts'
import { toReport } from './media/spending.ts'
import type { SandboxState } from './sandbox/walls.ts'
import type { Disk } from './steps/disk.ts'
import type { StepPool } from './steps/run.ts'

const VERSION_TIMEOUT_MS = 10_000

/** true, or a sentence that describes what is wrong. */
type Part = true | string

interface CheckedParts {
  places: EngineState['places']
  disk: Disk
  sandbox: SandboxState
  extractors: { ready(): Promise<void>; readonly state: ExtractorState }
  recognizer: { health(): Promise<Part>; models(): EngineState['models'] }
  speakers: { health(): Promise<Part>; lookAgain(): boolean | undefined }
  tokenProvider: { health(): Promise<Part> } | null
}

/** The answers to GET /health and to GET /state, which waits for nothing. */
export const createHealth = (pool: StepPool, parts: CheckedParts) => {
  const { places, disk, sandbox, extractors, recognizer, speakers, tokenProvider } = parts
  /** Checked once, because it cannot change while the container runs. */
  let media: Promise<Part> | undefined
  const health = async (): Promise<Health> => {
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
    const capacity = places.network + places.cpu
    return { status, running: pool.running, capacity, parts, extractor: extractors.state }
  }
  const state = (): EngineState => {
    const hasSpeakers = speakers.lookAgain()
    const models = recognizer.models()
    return {
      uptimeMs: Math.round(process.uptime() * 1_000),
      status: pool.draining ? 'draining' : sandbox.mayWork ? 'ok' : 'unfit',
      places,
      diskBytes: disk.totalBytes,
      extractor: extractors.state,
      ...(hasSpeakers !== undefined && { speakers: hasSpeakers }),
      ...(models && { models }),
      running: pool.steps,
    }
  }
  return { health, state }
}

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
