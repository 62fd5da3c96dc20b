import { jobProblem, smallSource } from '../import.ts'
import type { Trial } from '../trial.ts'
import { upload } from '../upload.ts'
import { summary } from './containers.ts'

const TIMEOUT_MS = 30 * 60_000
/** The file does not state how long it lasts. */
const MAX_COST_DOLLARS = 1
/** Until the last one has started. A queue that holds up work would need minutes. */
const START_LIMIT_SECONDS = 120

export const manyTranscriptions: Trial = {
  title: 'canary: transcriptions at once',
  run: async (canary) => {
    const { baseUrl, env, haul, sizes, cleanUps } = canary
    const sound = await (await fetch(smallSource(baseUrl, env))).arrayBuffer()
    const file = new Blob(Array.from({ length: sizes.repeats }, () => sound))
    const { uploadId } = await upload(canary, file, { filename: 'canary.mp3' })
    const since = Date.now()
    const all = Array.from({ length: sizes.transcriptions }, async () => {
      const { jobId } = await haul.transcribe(
        { uploadId },
        { provider: 'builtin', maxCostDollars: MAX_COST_DOLLARS, wait: false },
      )
      cleanUps.push(() => haul.jobs.remove(jobId))
      await haul.jobs.wait(jobId as `trn_${string}`, { timeoutMs: TIMEOUT_MS }).catch((cause) => {
        throw new Error(`${jobProblem(cause, TIMEOUT_MS)} See the quotas of Workers AI, or set BUILTIN_SPEECH.`, {
          cause,
        })
      })
      return haul.jobs.get(jobId)
    })
    const jobs = await Promise.all(all)
    const after = (at: 'startedAt' | 'completedAt') =>
      jobs.map((job) => (Date.parse(job[at] ?? '') - since) / 1_000).sort((a, b) => a - b)
    const started = after('startedAt')
    const said = `${jobs.length} started: ${summary(started)}; ended: ${summary(after('completedAt'))}`
    if ((started.at(-1) ?? 0) <= START_LIMIT_SECONDS) return said
    throw new Error(`${said}. Some waited for others: see docs/operating.md, "The first day".`)
  },
}
