import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageOfAnotherSite, sendFrom } from '../../doubles/page-of-another-site.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { startBrowser } from '../../support/product/browser.ts'
import { ownProduct, product } from '../../support/product/product.ts'
import { type Part, sentPart } from '../../support/product/upload-parts.ts'

const run = promisify(execFile)

/** The whole product on one's own server: its S3 server takes the parts, and its speech engine hears them. */
let client: AccountClient

/** For tests that load the speech model, on a busy machine. */
const SPEECH_TIMEOUT_MS = 120_000
const clips = join(import.meta.dirname, '../../media/clips')

const site = ownProduct(async () => {
  const ffmpeg = (...args: string[]) => run('ffmpeg', ['-v', 'error', '-nostdin', ...args], { cwd: site.folder })
  const sound = ['-i', join(clips, '0870.flac')]
  // A film of 11 MB, whose two parts hold its pictures and its index.
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=25:d=8']
  const size = '-c:v libx264 -preset ultrafast -b:v 11M -minrate 11M -maxrate 11M -bufsize 2M -x264-params nal-hrd=cbr'
  await ffmpeg(...picture, ...sound, ...size.split(' '), '-c:a', 'aac', 'film.mp4')
  return { speech: 'scripted' }
})

/** As `npm start` runs it. */
const shared = product()

beforeAll(async () => {
  client = await site.newClient()
})

const words = /john dashwood had then leisure to consider/i

test(
  'an upload that was cut off by a restart is completed with its parts in another order, and its speech is heard',
  async () => {
    const file = new Uint8Array(await readFile(join(site.folder, 'film.mp4')))
    const request = { filename: 'My film.mp4', sizeBytes: file.length }
    const upload = await client.post<{ uploadId: string; partSizeBytes: number; parts: Part[] }>('/uploads', request)
    const { uploadId, partSizeBytes } = upload
    const [first, second] = upload.parts
    if (!first || !second || upload.parts.length !== 2) throw new Error(`${upload.parts.length} parts`)
    const last = await sentPart(file, partSizeBytes, second)
    expect(last.status).toBe(200)

    await site.restart()
    const { request: send } = client
    const call = async (method: string, path: string, body?: unknown) => (await send(method, path, body)).body
    const again = (await call('GET', `/uploads/${uploadId}`)).data
    expect(again).toMatchObject({ status: 'pending', partSizeBytes })
    const wrongLength = await fetch(again.parts[0].url, { method: 'PUT', body: file.subarray(0, 1_000) })
    expect(wrongLength.status).toBe(403)
    await sentPart(file, partSizeBytes, again.parts[0])
    const repeated = await sentPart(file, partSizeBytes, again.parts[0])
    const parts = [last, repeated].map(({ number, etag }) => ({ number, etag }))
    const completed = await call('POST', `/uploads/${uploadId}/complete`, { parts })
    expect(completed.data).toMatchObject({ status: 'ready', contentType: 'video/mp4', duration: 8 })

    const job = await client.transcribed({ uploadId, provider: 'builtin' })
    expect(job).toMatchObject({ status: 'completed', result: { downloadCostInDollars: 0, costInDollars: 0.03 } })
    expect(job.result.text).toMatch(words)
    expect((await call('DELETE', `/uploads/${uploadId}`)).data.status).toBe('removed')
  },
  SPEECH_TIMEOUT_MS,
)

describe.each([
  ["one's own server", () => site],
  ['npm start', () => shared],
])('at %s', (_, running) => {
  let browser: Browser

  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())

  const startedUpload = async () => {
    const file = new Uint8Array(await readFile(join(site.folder, 'film.mp4')))
    const owner = await running().newClient()
    const request = { filename: 'film.mp4', sizeBytes: file.length }
    const upload = await owner.post<{ uploadId: string; partSizeBytes: number; parts: Part[] }>('/uploads', request)
    return { ...upload, owner, page: await pageOfAnotherSite(browser, file) }
  }

  test('a page of another site sends the parts of an upload, and reads what completes it', async () => {
    const { owner, page, uploadId, partSizeBytes, parts } = await startedUpload()
    const sent = parts.map(async ({ number, url, sizeBytes }) => {
      const from = (number - 1) * partSizeBytes
      const answer = await sendFrom(page, url, [from, from + sizeBytes])
      return { number, etag: answer?.etag }
    })
    const completed = await owner.post(`/uploads/${uploadId}/complete`, { parts: await Promise.all(sent) })
    expect(completed).toMatchObject({ status: 'ready', contentType: 'video/mp4', duration: 8 })
  })

  test('it reads why a part is refused, and can send no other header and nothing else', async () => {
    const { page, parts } = await startedUpload()
    const { url } = parts[0] as Part
    expect(await sendFrom(page, url, [0, 1_000])).toMatchObject({ status: 403, etag: null })
    expect(await sendFrom(page, url, [0, 1_000], { 'x-amz-copy-source': '/haul-media/media/x' })).toBeNull()
    const elsewhere = new URL(url.replace('/uploads/', '/media/'))
    expect(await sendFrom(page, elsewhere.href, [0, 1_000])).toBeNull()
    expect(await sendFrom(page, `${elsewhere.origin}/import`, [0, 1_000])).toBeNull()
  })
})
