import { copyFile, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type AccountClient, newAccountClient } from './api-client.ts'

/** The whole product with a container that has no working speech weights. */
let haul: Haul
let origin: Origin
let folder: string
let client: AccountClient

const weights = join(import.meta.dirname, '../../.tools/models/whisper-base')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-speech-'))
  await mkdir(join(folder, 'model'))
  origin = await startOrigin()
  haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host, STT_MODEL_DIR: join(folder, 'model') },
  })
  client = await newAccountClient(haul)
  // Starts wrangler, the D1 migrations and the container: 10 s on 2 quiet cores.
}, 90_000)

afterAll(async () => {
  await haul?.stop()
  await origin?.close()
  await rm(folder, { recursive: true, force: true })
})

const transcribed = async () => {
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', {
    url: `${origin.url}/media/faststart.mp4`,
    provider: 'builtin',
  })
  return client.get(`/transcribe/status?id=${jobId}&wait=30`)
}

const unavailable = { status: 'failed', code: 'SPEECH_UNAVAILABLE', retryable: true }

test('without speech weights a transcription fails with SPEECH_UNAVAILABLE, and costs nothing', async () => {
  expect(await readdir(join(folder, 'model'))).toEqual([])
  expect(await transcribed()).toMatchObject(unavailable)
  expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('with a damaged weights file a transcription fails with SPEECH_UNAVAILABLE, and costs nothing', async () => {
  for (const name of await readdir(weights)) await copyFile(join(weights, name), join(folder, 'model', name))
  const model = await open(join(folder, 'model', 'model.bin'), 'r+')
  await model.write(Buffer.from('damaged'), 0, 7, 1_000_000)
  await model.close()
  expect(await transcribed()).toMatchObject(unavailable)
  expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})
