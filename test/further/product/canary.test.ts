import { beforeAll, expect, test } from 'vitest'
import { Haul } from '../../../client/src/index.ts'
import { type Access, openAccess } from '../../../scripts/deploy/canary/access.ts'
import { type Deployed, tryDeployment } from '../../../scripts/deploy/canary/canary.ts'
import { withFullCanary } from '../../../scripts/deploy/canary/full.ts'
import type { FullCanary, Trial } from '../../../scripts/deploy/canary/trial.ts'
import { compression } from '../../../scripts/deploy/canary/trials/compression.ts'
import { firstContainer, manyContainers } from '../../../scripts/deploy/canary/trials/containers.ts'
import { copySource } from '../../../scripts/deploy/canary/trials/copy-source.ts'
import { deployWhileStepsRun } from '../../../scripts/deploy/canary/trials/deploy.ts'
import { largeFile } from '../../../scripts/deploy/canary/trials/large-file.ts'
import { manyTranscriptions } from '../../../scripts/deploy/canary/trials/transcriptions.ts'
import { createProgress } from '../../../scripts/deploy/progress.ts'
import { readSecrets } from '../../../self-host/secrets.ts'
import { ownProduct } from '../../support/product/product.ts'

/** What a deployment's canary tries, tried with the whole product of `npm start` in place of a deployment. */
const site = ownProduct(() => ({ speech: 'scripted', under: 'wrangler' }))

/** Smaller than those of a deployment. */
const sizes = { largeBytes: 40_000_000, imports: 4, transcriptions: 3, repeats: 30 }

let deployed: Deployed

beforeAll(async () => {
  deployed = {
    baseUrl: site.haul.baseUrl,
    env: { ADMIN_TOKEN: site.haul.adminToken },
    secretsFile: null,
    api: { get: async () => null },
    target: { vars: {} },
    // As in a rollout, the container finishes its steps, and another one takes its place.
    prepareDeploy: async () => async () => {
      await site.haul.killContainer('SIGTERM')
      return 'version 2'
    },
  }
})

const tryOne = async ({ run }: Trial, change: Partial<FullCanary> = {}): Promise<string> => {
  const access = (await openAccess(site.haul.baseUrl, deployed.env, null)) as Access
  let said = ''
  const use = async (canary: FullCanary) => {
    said = await run({ ...canary, ...change })
  }
  await withFullCanary({ ...deployed, ...access, sizes }, use).finally(access.close)
  return said
}

test('the small canary imports a file of the console and compares its bytes', async () => {
  const lines: string[] = []
  await tryDeployment(
    deployed,
    null,
    createProgress(2, (line) => lines.push(line)),
  )
  const [, access, , imported] = lines
  expect(access).toMatch(/^ {4}responds \(/)
  expect(imported).toContain(`imported ${site.haul.baseUrl}/assets/canary.mp3, 12452 bytes that are the same`)
})

test('a large file is uploaded in parts, and imported by a link that the keys of the bucket sign', async () => {
  const { MEDIA_S3_ACCESS_KEY_ID, MEDIA_S3_SECRET_ACCESS_KEY } = await readSecrets(site.haul.state.secretsFile)
  const env = { ...deployed.env, MEDIA_S3_ACCESS_KEY_ID, MEDIA_S3_SECRET_ACCESS_KEY }
  expect(await tryOne(largeFile, { env })).toMatch(/^uploaded 0\.04 GB in \d+ s, imported 0\.04 GB in \d+ s$/)
})

test('without the keys it says that no import was tried', async () => {
  const change = { sizes: { ...sizes, largeBytes: 10_000 } }
  expect(await tryOne(largeFile, change)).toMatch(/^uploaded 0\.00 GB in \d+ s\. NOT TESTED: its import, which needs/)
})

test('imports complete across a deployment', async () => {
  const large = { url: site.media('generated/3000000.mp4?ratePerSecond=500000'), sizeBytes: 3_000_000 }
  const said = await tryOne(deployWhileStepsRun, { large })
  expect(said).toMatch(/^4 of 4 imports of 0\.00 GB completed across the deployment of version 2, \d of them after/)
  expect(await tryOne(deployWhileStepsRun)).toContain('NOT TESTED')
})

test('a connection that breaks during the deployment fails the canary', async () => {
  const large = { url: site.media('generated/3000000.mp4?ratePerSecond=500000'), sizeBytes: 3_000_000 }
  const prepareDeploy = async () => async () => {
    await site.haul.killWorker('SIGKILL')
    await site.haul.ready()
    return 'version 3'
  }
  await expect(tryOne(deployWhileStepsRun, { large, prepareDeploy })).rejects.toThrow(
    'A poll failed during the deployment',
  )
})

test('transcriptions that start at once are timed', async () => {
  expect(await tryOne(manyTranscriptions)).toMatch(/^3 started: the first after .* ended: the first after/)
})

test('a transcript is not compressed', async () => {
  expect(await tryOne(compression)).toBe('sent as it is; GET /openapi.json as identity')
})

test('a storage that obeys x-amz-copy-source, as miniflare does, fails the canary', async () => {
  await expect(tryOne(copySource)).rejects.toThrow('The storage obeys x-amz-copy-source')
})

test('engines that run elsewhere are not tried', async () => {
  const elsewhere = 'NOT TESTED: containers, because the engines run elsewhere (ENGINE_URLS)'
  expect(await tryOne(firstContainer)).toBe(elsewhere)
  expect(await tryOne(manyContainers)).toBe(elsewhere)
})

test('nothing is left: what the trials made is removed, and their keys are revoked', async () => {
  const access = (await openAccess(site.haul.baseUrl, deployed.env, null)) as Access
  const haul = new Haul(access)
  const kept: string[] = []
  for await (const job of haul.jobs.list()) if (job.status === 'completed' && !job.removedAt) kept.push(job.url ?? '')
  // The small canary keeps its file for seven days, as any import.
  expect(kept).toEqual([`${site.haul.baseUrl}/assets/canary.mp3`])
  await access.close()
  await expect(haul.account()).rejects.toMatchObject({ status: 401 })
})
