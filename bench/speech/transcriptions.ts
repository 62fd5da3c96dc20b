import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHaul } from '../../scripts/start/haul.ts'
import { startOrigin } from '../../test/origin/origin.ts'
import { type AccountClient, newAccountClient } from '../../test/product/api-client.ts'
import { medianOf, seconds } from '../timing.ts'
import { makeRecording } from './clips.ts'
import { bareWhisper } from './recognition.ts'

/** Whole jobs, from POST to completed, with queue, download and storage. */
export const benchTranscriptions = async (print: (line: string) => void): Promise<void> => {
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
    const theirs = await bareWhisper(recording)
    const ours = await seconds(() => transcribe(client, job))
    const ratio = (ours / theirs.seconds).toFixed(2)
    print(
      `10 min of speech, the whole job: ${ours.toFixed(1)} s, bare ${theirs.seconds.toFixed(1)} s, ratio ${ratio} (goal 1.3)`,
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
