import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHaul } from '../../scripts/start/haul.ts'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { type AccountClient, newAccountClient } from '../../test/support/product/api-client.ts'
import { medianOf, seconds } from '../timing.ts'
import { makeRecording } from './clips.ts'
import { bareWhisper } from './recognition.ts'

/**
 * Whole jobs, from POST to completed, with queue, download and storage. In turn with the bare engine, and the best of each
 * counts, because other programs use the machine too.
 */
export const benchTranscriptions = async (print: (line: string) => void, { runs = 3 } = {}): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const recording = join(folder, 'speech.wav')
  await makeRecording(recording, 600)
  const [pages, recordings] = [await startOrigin(), await startOrigin({ root: folder })]
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: `${pages.host},${recordings.host}` }
  const haul = await startHaul({ stateDir: join(folder, 'state'), env })
  try {
    const client = await newAccountClient(haul)
    const page = { url: `${pages.url}/page/video.html` }
    await transcribe(client, page)
    const captions = await medianOf(9, () => transcribe(client, page))
    print(`Captions of a page, from POST to completed: median ${(captions * 1000).toFixed(0)} ms of 9 (goal 1000 ms)`)

    const job = { url: `${recordings.url}/media/speech.wav`, provider: 'builtin' }
    const rounds: { theirs: number; ours: number }[] = []
    for (let round = 0; round < runs; round++) {
      const theirs = (await bareWhisper(recording)).seconds
      rounds.push({ theirs, ours: await seconds(() => transcribe(client, job)) })
    }
    const [theirs, ours] = [
      Math.min(...rounds.map((each) => each.theirs)),
      Math.min(...rounds.map((each) => each.ours)),
    ]
    print(
      `10 min of speech, the whole job: ${ours.toFixed(1)} s, bare ${theirs.toFixed(1)} s, ratio ${(ours / theirs).toFixed(2)} (goal 1.06)`,
    )
  } finally {
    await haul.stop()
    await Promise.all([pages.close(), recordings.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

const transcribe = async (client: AccountClient, request: object): Promise<void> => {
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', request)
  for (;;) {
    const job = await client.get<{ status: string; code?: string }>(`/transcribe/status?id=${jobId}&wait=30`)
    if (job.status === 'failed') throw new Error(job.code)
    if (job.status === 'completed') return
  }
}
