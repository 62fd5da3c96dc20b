import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixture } from '../doubles/origin/fixtures.ts'
import { startVersity, type Versity } from '../doubles/s3/versity.ts'
import { product } from '../support/product/product.ts'
import { sha256 } from '../support/sha256.ts'

const site = product()
let server: Versity

beforeAll(async () => {
  server = await startVersity()
  await server.makeBucket('media')
})

afterAll(() => server?.close())

test("a file is copied into the caller's bucket, and the bucket's secret is never shown", async () => {
  const client = await site.newClient()
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const settings = { endpoint, region, bucket: 'media', accessKeyId, secretAccessKey, pathStyle: true }
  const saved = await client.request('PUT', '/storage', settings)
  expect(saved).toMatchObject({ status: 200, body: { data: { bucket: 'media' } } })
  expect(JSON.stringify(saved.body)).not.toContain(secretAccessKey)

  const request = { url: site.media(), store: true, storagePath: 'films', storageFilename: 'Grüße 1' }
  const job = await client.ended(await client.start(request))
  expect(job).toMatchObject({
    status: 'completed',
    result: { s3Storage: { bucket: 'media', key: 'films/Grüße 1.mp4' } },
  })
  const object = await server.get('media', job.result.s3Storage.key)
  expect(object.headers.get('content-type')).toBe('video/mp4')
  expect(sha256(new Uint8Array(await object.arrayBuffer()))).toBe(sha256(await readFile(fixture('faststart.mp4'))))
})
