import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/** The whole product with a container that has no working speech weights. */
let client: AccountClient

const weights = join(import.meta.dirname, '../../../.tools/models/whisper-base')

const site = ownProduct(async () => {
  const model = join(site.folder, 'model')
  await mkdir(model)
  return { speech: 'whisper', env: { STT_MODEL_DIR: model } }
})

beforeAll(async () => {
  client = await site.newClient()
})

const transcribed = async () => {
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', {
    url: `${site.origin.url}/media/faststart.mp4`,
    provider: 'builtin',
  })
  return client.get(`/transcribe/status?id=${jobId}&wait=30`)
}

const unavailable = { status: 'failed', code: 'SPEECH_UNAVAILABLE', retryable: true }

test('without speech weights a transcription fails with SPEECH_UNAVAILABLE, and costs nothing', async () => {
  expect(await readdir(join(site.folder, 'model'))).toEqual([])
  expect(await transcribed()).toMatchObject(unavailable)
  expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('with a damaged weights file a transcription fails with SPEECH_UNAVAILABLE, and costs nothing', async () => {
  for (const name of await readdir(weights)) await copyFile(join(weights, name), join(site.folder, 'model', name))
  const model = await open(join(site.folder, 'model', 'model.bin'), 'r+')
  await model.write(Buffer.from('damaged'), 0, 7, 1_000_000)
  await model.close()
  expect(await transcribed()).toMatchObject(unavailable)
  expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})
