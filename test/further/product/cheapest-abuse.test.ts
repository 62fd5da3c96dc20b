import { execFile } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toDrawPicture } from '../../../container/media/spending.ts'
import { defaultLimits } from '../../../domain/account/account-limits.ts'
import { RETENTION_DAYS } from '../../../domain/limits.ts'
import { defaultPrices, downloadCost } from '../../../domain/money/prices.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { flacThatStates } from '../../doubles/origin/lying-headers.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
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
  const change = (from: string, to: string, lie: (file: Buffer) => Buffer) =>
    writeFileSync(join(site.folder, to), lie(readFileSync(join(site.folder, from))))
  change('speech.flac', 'two-seconds.flac', (file) => flacThatStates(file, 2))
  const segments = '#EXTINF:1,\nsegment.ts\n'.repeat(600)
  writeFileSync(join(site.folder, '600.m3u8'), `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${segments}#EXT-X-ENDLIST\n`)
  writeFileSync(join(site.folder, 'segment.ts'), Buffer.alloc(1_000_000, 'x'))
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

test('speech: a file that states two seconds is charged for all of its speech, and prepared only for who can pay', async () => {
  const transcribe = (account: AccountClient, more: object = {}) =>
    account.transcribed({ url: url('two-seconds.flac'), provider: 'builtin', ...more })
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

test('network: an import reads no further than the account can pay for', async () => {
  const account = await site.newClient({ creditDollars: 0.05 })
  const before = files.sentBytes
  const job = await account.ended(await account.start({ url: url('600.m3u8') }))
  expect(job).toMatchObject({ status: 'failed', code: 'INSUFFICIENT_BALANCE' })
  // Five cents are 5 MB. The rest was in the buffers of six connections.
  expect(files.sentBytes - before).toBeLessThan(40_000_000)
  expect(await account.account()).toMatchObject({ balanceDollars: 0.05, heldDollars: 0 })
})
