import { expect, test } from 'vitest'
import { type Access, openAccess } from '../../../scripts/deploy/canary/access.ts'
import { canarySteps, tryDeployment } from '../../../scripts/deploy/canary/canary.ts'
import { createProgress } from '../../../scripts/deploy/progress.ts'
import { readSecrets } from '../../../self-host/data/secrets.ts'
import { S3_PATH } from '../../../self-host/servers/upload-parts.ts'
import { ownProduct } from '../../support/product/product.ts'

/** What a deployment's canary tries, tried with the whole product in place of a deployment. */
const site = ownProduct(() => ({ speech: 'scripted', under: 'wrangler' }))

/** Smaller than that of a deployment. */
const LARGE_BYTES = 40_000_000

const canary = async (env: NodeJS.ProcessEnv, largeBytes: number | null): Promise<string[]> => {
  const lines: string[] = []
  const progress = createProgress(canarySteps(largeBytes), (line) => lines.push(line.trim()))
  await tryDeployment({ baseUrl: site.haul.baseUrl, env, secretsFile: null }, largeBytes, progress)
  return lines
}

test('the full canary imports, transcribes, and sends a large file both ways, by a link that the keys of the bucket sign', async () => {
  const { MEDIA_S3_ACCESS_KEY_ID, MEDIA_S3_SECRET_ACCESS_KEY } = await readSecrets(site.haul.state.secretsFile)
  const keys = { MEDIA_S3_ACCESS_KEY_ID, MEDIA_S3_SECRET_ACCESS_KEY, MEDIA_S3_ENDPOINT: site.haul.baseUrl + S3_PATH }
  const env = { ADMIN_TOKEN: site.haul.adminToken, ...keys }
  const [, access, , imported, , transcribed, , large] = await canary(env, LARGE_BYTES)
  expect(access).toMatch(/^responds \(/)
  expect(imported).toContain(`imported ${site.haul.baseUrl}/assets/canary.mp3, 12452 bytes that are the same`)
  expect(transcribed).toMatch(/^".+", sent as it is \(/)
  expect(large).toMatch(/^uploaded 0\.04 GB in \d+ s, imported 0\.04 GB in \d+ s \(/)
})

test('without the keys it says that the large file was not imported', async () => {
  const lines = await canary({ ADMIN_TOKEN: site.haul.adminToken }, 10_000)
  expect(lines.at(-1)).toMatch(/^uploaded 0\.00 GB in \d+ s\. NOT TESTED: its import, which needs/)
})

test('nothing is left but the small file, and the keys are revoked', async () => {
  const secretOf = (name: string) => (name === 'ADMIN_TOKEN' ? site.haul.adminToken : undefined)
  const access = (await openAccess(site.haul.baseUrl, secretOf)) as Access
  const kept: string[] = []
  for await (const job of access.haul.jobs.list())
    if (job.status === 'completed' && !job.removedAt) kept.push(job.url ?? '')
  // It is kept for seven days, as any import.
  const small = `${site.haul.baseUrl}/assets/canary.mp3`
  expect(kept).toEqual([small, small])
  await access.close()
  await expect(access.haul.account()).rejects.toMatchObject({ status: 401 })
})
