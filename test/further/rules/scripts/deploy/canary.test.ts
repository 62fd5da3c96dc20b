import { afterEach, beforeEach, expect, test } from 'vitest'
import { canarySteps, tryDeployment } from '../../../../../scripts/deploy/canary/canary.ts'
import { healthy } from '../../../../../scripts/deploy/canary/health.ts'
import { type Sizes, sizesOf } from '../../../../../scripts/deploy/canary/sizes.ts'
import { createProgress } from '../../../../../scripts/deploy/progress.ts'
import { ADMIN_TOKEN, type DeployedHaul, startDeployedHaul } from '../../../../doubles/cloudflare-api/deployed-haul.ts'

let haul: DeployedHaul
beforeEach(async () => {
  haul = await startDeployedHaul()
})
afterEach(() => haul.close())

/** Resolves with what was said. */
const canary = async (
  env: NodeJS.ProcessEnv = { ADMIN_TOKEN },
  { sizes = null, secretsFile = null }: { sizes?: Sizes | null; secretsFile?: Record<string, string> | null } = {},
): Promise<string> => {
  const lines: string[] = []
  const progress = createProgress(canarySteps(sizes), (line) => lines.push(line))
  const none = { api: { get: async () => null }, target: { vars: {} }, prepareDeploy: async () => async () => '' }
  await tryDeployment({ ...none, baseUrl: haul.url, env, secretsFile }, sizes, progress)
  return lines.join('\n')
}

test('a canary uses the same account every time, with a new key that it revokes', async () => {
  await canary()
  await canary()
  expect(haul.accounts).toMatchObject([{ name: 'canary', creditDollars: 1 }])
  expect(haul.requests.filter((request) => request.startsWith('DELETE /admin/accounts'))).toEqual([
    'DELETE /admin/accounts/acct_0/keys/key-1',
    'DELETE /admin/accounts/acct_0/keys/key-2',
  ])
})

test('a key of the operator is used as it is', async () => {
  haul.keys.add('own-key')
  await canary({ CANARY_API_KEY: 'own-key', CANARY_URL: `${haul.url}/media/completed` })
  expect(haul.requests.some((request) => request.includes('/admin/'))).toBe(false)
})

test('it imports a file of the deployment itself, and compares the bytes; its token may be in the secrets file', async () => {
  const said = await canary({}, { secretsFile: { ADMIN_TOKEN } })
  expect(said).toContain(`imported ${haul.url}/assets/canary.mp3, 23 bytes that are the same`)
})

test('without a key it says that no import was tried', async () => {
  expect(await canary({})).toContain('NOT TESTED: an import')
})

test('a failed job is reported with its code, and the key is revoked', async () => {
  haul.imports = 'failed'
  await expect(canary()).rejects.toThrow('imp_1 ended as failed: TIMED_OUT No container started.')
  expect(haul.keys.size).toBe(0)
})

test('other bytes are a failure', async () => {
  haul.imports = 'wrong-bytes'
  await expect(canary()).rejects.toThrow(/imp_1 has 22 bytes that are not the 23 bytes of/)
})

test('a deployment that does not respond is reported with the reason', async () => {
  await expect(healthy('http://127.0.0.1:1', 0)).rejects.toThrow(/health does not answer: /)
  await expect(healthy(`${haul.url}/admin`, 0)).rejects.toThrow('/admin/health answers 401.')
})

test('a full canary whose container has no walls stops there, and says why', async () => {
  haul.walls = 'Child processes can read other files'
  await expect(canary({ ADMIN_TOKEN }, { sizes: sizesOf({}) })).rejects.toThrow(
    /^The container can run no step: ready after \d+\.\d s\. yt-dlp: is still starting; sandbox: Child processes can read other files\. See docs/,
  )
  expect(haul.requests.filter((request) => request.includes('/uploads'))).toEqual([])
  expect([haul.spares.size, haul.keys.size]).toEqual([0, 0])
})
