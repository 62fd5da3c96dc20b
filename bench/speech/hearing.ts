import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHaul } from '../../scripts/start/haul.ts'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { type AccountClient, newAccountClient } from '../../test/support/product/api-client.ts'
import { median } from '../timing.ts'
import { makeRecording } from './clips.ts'

const RUNS = 9

/** The time from POST to the start of recognition, for an import of ten seconds and with the speech model in memory. */
export const benchHearing = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  await makeRecording(join(folder, 'speech.m4a'), 10)
  const origin = await startOrigin({ root: folder })
  const haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host },
  })
  try {
    const client = await newAccountClient(haul)
    const importId = await client.start({ url: `${origin.url}/media/speech.m4a` })
    await client.ended(importId)
    // The first job loads the model.
    await transcribed(client, importId)
    const delays: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const from = Date.now()
      const jobId = await transcribed(client, importId)
      delays.push((await recognizedFrom(haul.state.containers(0).log, jobId)) - from)
    }
    const [longest] = delays.toSorted((one, other) => other - one)
    print(
      `A transcription of an import, from POST to hearing: median ${median(delays)} ms of ${RUNS}, longest ${longest} ms (goal 1000 ms)`,
    )
  } finally {
    await haul.stop()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const transcribed = async (client: AccountClient, importId: string): Promise<string> => {
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', { importId, provider: 'builtin' })
  for (;;) {
    const job = await client.get<{ status: string; code?: string }>(`/transcribe/status?id=${jobId}&wait=30`)
    if (job.status === 'failed') throw new Error(job.code)
    if (job.status === 'completed') return jobId
  }
}

/** The time of the log line that the container writes when it starts the step. */
const recognizedFrom = async (log: string, jobId: string): Promise<number> => {
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes(jobId))
  const started = lines.find((line) => line.includes('"step started"') && line.includes('"recognize"'))
  if (!started) throw new Error(`the container has not recognized ${jobId}`)
  return Date.parse(JSON.parse(started).at)
}
