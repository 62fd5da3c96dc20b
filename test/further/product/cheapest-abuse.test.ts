import { execFile } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toDrawPicture } from '../../../container/media/spending.ts'
import { defaultLimits } from '../../../domain/account-limits.ts'
import { RETENTION_DAYS } from '../../../domain/limits.ts'
import { defaultPrices, downloadCost } from '../../../domain/money/prices.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { flacThatStates, mp4OfOnePicture } from '../../doubles/origin/lying-headers.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import type { AccountClient, JobStatus } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/** The attacks behind the table "cheapest abuse" of docs/threats.md. Each expects the price that the table names. */
const run = promisify(execFile)
let files: Origin

const SILENCE_SECONDS = 600
/** libopus takes ten for an hour of it, as docs/threats.md says. */
const CPU_SECONDS_OF_SILENCE = (10 * SILENCE_SECONDS) / 3_600
/** 120 pictures in AV1, as docs/threats.md says. */
const DARK_FILM_BYTES = 46_000
const THUMBNAIL_ATTEMPTS = 3
const SPEECH_SECONDS = 7.1 * 20
const clip = join(import.meta.dirname, '../../media/clips/0870.flac')

const site = ownProduct(async () => {
  const ffmpeg = (...args: string[]) => run('ffmpeg', ['-v', 'error', '-nostdin', ...args], { cwd: site.folder })
  const silence = `anullsrc=channel_layout=stereo:sample_rate=48000:duration=${SILENCE_SECONDS}`
  await ffmpeg('-f', 'lavfi', '-i', silence, 'silence.flac')
  await ffmpeg('-stream_loop', '19', '-i', clip, 'speech.flac')
  const noise = ['-f', 'lavfi', '-i', 'nullsrc=size=640x480:rate=1:duration=1,geq=random(1)*255:128:128']
  await ffmpeg(...noise, '-f', 'lavfi', '-i', 'sine=duration=1', '-c:v', 'mjpeg', '-q:v', '1', 'picture.mp4')
  const change = (from: string, to: string, lie: (file: Buffer) => Buffer) =>
    writeFileSync(join(site.folder, to), lie(readFileSync(join(site.folder, from))))
  change('speech.flac', 'two-seconds.flac', (file) => flacThatStates(file, 2))
  change('picture.mp4', 'one-picture.mp4', (file) => mp4OfOnePicture(file, 2_000))
  files = await startOrigin({ root: site.folder })
  return { speech: 'scripted' }
})

afterAll(() => files?.close())

/** Dollars for the attacker, by the first words of a row. */
const table = new Map<string, string>()

beforeAll(() => {
  const threats = readFileSync(join(import.meta.dirname, '../../../docs/threats.md'), 'utf8')
  const [, section = ''] = threats.split('## The cheapest abuse')
  for (const [, what = '', dollars = ''] of section.matchAll(/^\| ([^|]+?) \| [^|]+ \| \$([\d.]+) \|/gm)) {
    table.set(what, dollars)
  }
})

const statedFor = (what: string): number => Number(table.get(what))

const url = (name: string) => `${files.url}/media/${name}`
const limit = (account: AccountClient, limits: object) =>
  site.operator().request('PATCH', `/admin/accounts/${account.accountId}`, { limits })

const balanceOf = async (account: AccountClient): Promise<number> => (await account.account()).balanceDollars

test('storage: a file that grows when it is re-encoded costs what it weighs', async () => {
  const account = await site.newClient()
  const before = await balanceOf(account)
  const { result } = await account.ended(
    await account.start({ url: url('silence.flac'), includeVideo: false, audioFormat: 'wav' }),
  )
  expect(result.fileSizeBytes).toBeGreaterThan(100 * statSync(join(site.folder, 'silence.flac')).size)
  const terabyteHours = (result.fileSizeBytes / 1e12) * ((RETENTION_DAYS * DAY_MS) / 3_600_000)
  const dollars = (before - (await balanceOf(account))) / terabyteHours
  expect(dollars).toBeCloseTo(statedFor('a TB-hour of storage'), 1)
})

test('storage: a file whose samples are one sample many times is not written', async () => {
  const account = await site.newClient()
  const job = await account.ended(await account.start({ url: url('one-picture.mp4'), includeAudio: false }))
  expect(job).toMatchObject({ status: 'failed', code: 'MEDIA_TOO_LARGE' })
})

test('storage: uploads take so many bytes, and nothing without a balance', async () => {
  const [account, poor] = [await site.newClient(), await site.newClient({ creditDollars: 0 })]
  const reserve = (client: AccountClient, sizeBytes: number) =>
    client.request('POST', '/uploads', { filename: 'a.mp3', sizeBytes })
  expect((await reserve(poor, 5)).body.code).toBe('INSUFFICIENT_BALANCE')
  await limit(account, { uploadBytes: 10_000_000 })
  expect((await reserve(account, 10_000_000)).status).toBe(201)
  expect((await reserve(account, 1)).body.code).toBe('STORAGE_LIMITED')
  expect(defaultLimits.uploadBytes).toBe(50e9)
  expect(statedFor('a TB-hour of storage, uploaded')).toBe(0)
})

test('engines: pictures that are too dark for a thumbnail take as long as the table says', () => {
  const dollars = downloadCost(defaultPrices, DARK_FILM_BYTES) / 1e6
  const cpuSeconds = THUMBNAIL_ATTEMPTS * toDrawPicture.cpuSeconds
  expect(dollars * (1_000 / cpuSeconds)).toBeCloseTo(statedFor('1,000 CPU-seconds'), 2)
  expect(defaultLimits.requestsPerHour.import).toBe(240)
})

test('engines: silence as Opus costs what the table says', async () => {
  const account = await site.newClient()
  const request = { url: url('silence.flac'), includeVideo: false, audioFormat: 'opus', audioQuality: 'best' }
  const { result } = await account.ended(await account.start(request))
  expect(result.costInDollars * (1_000 / CPU_SECONDS_OF_SILENCE)).toBeCloseTo(
    statedFor('1,000 CPU-seconds of encoding'),
    1,
  )
})

test('engines: encodings that are canceled are free until the budget of the hour is used up', async () => {
  const account = await site.newClient()
  const before = await balanceOf(account)
  await limit(account, { freeWork: { engineSecondsPerHour: 2 } })
  let refused = null
  while (refused === null) {
    const body = { url: url('silence.flac'), includeVideo: false, audioFormat: 'mp3' }
    const started = await account.request('POST', '/import', body)
    if (started.status === 202) {
      const { jobId } = started.body.data
      await account.until(jobId, ({ progress }) => progress?.stage === 'processing')
      await account.remove(`/jobs/${jobId}`)
    } else if (started.body.code !== 'CONCURRENCY_LIMITED') refused = started.body
  }
  expect(refused.code).toBe('FREE_WORK_LIMITED')
  expect(await account.account()).toMatchObject({ balanceDollars: before, freeWork: { engineSecondsLeft: 0 } })
  expect(defaultLimits.freeWork.engineSecondsPerHour).toBe(1_200)
  expect(statedFor('1,000 engine-seconds without a charge')).toBe(0)
})

test('speech: a file that states two seconds is charged for all of its speech, and prepared only for who can pay', async () => {
  const transcribe = async (account: AccountClient, more: object = {}) => {
    const request = { url: url('two-seconds.flac'), provider: 'builtin', ...more }
    const { jobId } = await account.post<{ jobId: string }>('/transcribe', request)
    for (;;) {
      const job = await account.get<JobStatus>(`/transcribe/status?id=${jobId}&wait=30`)
      if (job.status === 'completed' || job.status === 'failed') return job
    }
  }
  const account = await site.newClient()
  const { result } = await transcribe(account)
  expect(result.duration).toBeCloseTo(SPEECH_SECONDS, 0)
  const download = statSync(join(site.folder, 'two-seconds.flac')).size / 1e8
  const dollars = ((result.costInDollars - download) / result.duration) * 3_600
  expect(dollars).toBeCloseTo(statedFor('an hour of speech'), 2)
  expect(await transcribe(await site.newClient({ creditDollars: 0.06 }))).toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
  })
  expect(await transcribe(account, { maxCostDollars: 0.06 })).toMatchObject({ code: 'MAX_COST_EXCEEDED' })
})
