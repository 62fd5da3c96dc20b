import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Haul } from '../../../../../client/src/index.ts'
import { largestMediaBytes } from '../../../../../domain/jobs/step-resources.ts'
import { ENGINE_DISK_BYTES, MAX_MEDIA_SECONDS } from '../../../../../domain/limits.ts'
import { writeSilence } from '../../../../../scripts/deploy/canary/silence.ts'
import type { FullCanary } from '../../../../../scripts/deploy/canary/trial.ts'
import { readBill } from '../../../../../scripts/deploy/canary/trials/bill.ts'
import { compression } from '../../../../../scripts/deploy/canary/trials/compression.ts'
import { firstContainer, manyContainers, summary } from '../../../../../scripts/deploy/canary/trials/containers.ts'
import { openCloudflare } from '../../../../../scripts/deploy/cloudflare/api.ts'
import { readTarget } from '../../../../../scripts/deploy/target.ts'
import { type FakeCloudflare, startCloudflare } from '../../../../doubles/cloudflare-api/cloudflare.ts'
import { ADMIN_TOKEN, type DeployedHaul, startDeployedHaul } from '../../../../doubles/cloudflare-api/deployed-haul.ts'

/** The trials that need Cloudflare. The others run in test/further/product/canary.test.ts. */
let haul: DeployedHaul
let cloudflare: FakeCloudflare
let canary: FullCanary

beforeEach(async () => {
  ;[haul, cloudflare] = await Promise.all([startDeployedHaul(), startCloudflare()])
  const target = readTarget('staging', join(import.meta.dirname, '../../../../../wrangler.toml'))
  const connection = { baseUrl: haul.url, apiKey: ADMIN_TOKEN, maxRetries: 0 }
  canary = {
    ...{ env: {}, secretsFile: null, target, large: null, cleanUps: [], accountId: null },
    ...connection,
    api: await openCloudflare(target, cloudflare.env),
    haul: new Haul(connection),
    operator: new Haul(connection),
    sizes: { largeBytes: 1_000, imports: 1, transcriptions: 1, repeats: 1 },
    prepareDeploy: async () => async () => '',
    close: async () => {},
  }
})
afterEach(() => Promise.all([haul.close(), cloudflare.close()]))

test('the first container is timed and stopped, and the state of its parts is printed', async () => {
  expect(await firstContainer.run(canary)).toMatch(/^ready after \d+\.\d s\. yt-dlp: works; sandbox: works$/)
  expect(haul.requests).toContain('DELETE /admin/spare-engines/0')
  expect(haul.spares.size).toBe(0)
})

test('as many containers as may run are started at once', async () => {
  expect(await manyContainers.run(canary)).toMatch(/^20 of 20 ready, the first after/)
  expect(haul.spares.size).toBe(0)
})

test('fewer containers than asked for are a failure that says what to set', async () => {
  haul.maxSpares = 3
  await expect(manyContainers.run(canary)).rejects.toThrow(/^3 of 20 ready, .* Set MAX_ENGINES and max_instances/)
  expect(haul.spares.size).toBe(0)
})

test('without the token of an operator no container is tried', async () => {
  expect(await firstContainer.run({ ...canary, operator: null })).toBe('NOT TESTED: containers, which need ADMIN_TOKEN')
})

test('a platform that compresses what may not be compressed is a failure', async () => {
  haul.encoding = 'br'
  await expect(compression.run(canary)).rejects.toThrow('is sent as br although it has no-transform')
})

test('times are summed up', () => {
  expect(summary([1, 2, 3, 4])).toBe('the first after 1.0 s, half of them after 2.0 s, the last after 4.0 s')
  expect(summary([])).toBe('none')
})

test('the bill of the last day is read line by line', async () => {
  const line = (day: number, ServiceName: string, ConsumedQuantity: number, ContractedCost: number) => ({
    ...{ ServiceName, ConsumedQuantity, ConsumedUnit: 'units', ContractedCost },
    ChargePeriodStart: `2026-11-0${day}T00:00:00Z`,
  })
  cloudflare.account.bill = [
    line(1, 'R2', 9, 9),
    line(2, 'Containers', 1_200.5, 0.12),
    line(2, 'Workers', 4_000, 1),
    line(2, 'Queues', 0, 0),
  ]
  expect(await readBill.run(canary)).toBe(
    `2026-11-02, the whole account, $1.12. Compare it with docs/cost.md:
    Containers: 1,200.5 units, $0.12
    Workers: 4,000 units, $1.00`,
  )
})

test('an account without a bill in the API is told where it is', async () => {
  expect(await readBill.run(canary)).toMatch(/^NOT TESTED: the bill \(Cloudflare does not offer it for this account\)/)
  cloudflare.account.bill = []
  expect(await readBill.run(canary)).toMatch(/^NOT TESTED: the bill has no lines yet/)
})

test('a silent file of 10 GB has exactly this size, and is no longer than media may be', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-silence-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'silence.wav')
  const sizeBytes = 10_000_000_000
  await writeSilence(path, sizeBytes)
  expect((await stat(path)).size).toBe(sizeBytes)
  const file = await open(path)
  const { buffer: header } = await file.read(Buffer.alloc(80), 0, 80, 0)
  await file.close()
  expect(sizeBytes / header.readUInt32LE(64)).toBeLessThan(MAX_MEDIA_SECONDS)
  expect(sizeBytes).toBeLessThan(largestMediaBytes(ENGINE_DISK_BYTES, 'oneFile'))
})
