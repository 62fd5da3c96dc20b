import { afterEach, beforeEach, expect, test } from 'vitest'
import { healthy, tryDeployment } from '../../../scripts/deploy/canary.ts'
import { ADMIN_TOKEN, type DeployedHaul, startDeployedHaul } from '../../cloudflare-api/deployed-haul.ts'

let haul: DeployedHaul
beforeEach(async () => {
  haul = await startDeployedHaul()
})
afterEach(() => haul.close())

const canary = (env: NodeJS.ProcessEnv = { ADMIN_TOKEN }) => tryDeployment(haul.url, env, null)

test('a canary imports a file of the deployment itself, and compares the bytes', async () => {
  expect(await canary()).toBe(`imported ${haul.url}/assets/canary.mp3, 23 bytes that are the same`)
})

test('it uses the same account every time, with a new key that it revokes', async () => {
  await canary()
  await canary()
  expect(haul.accounts).toMatchObject([{ name: 'canary', creditDollars: 1 }])
  expect(haul.requests.filter((request) => request.startsWith('DELETE '))).toEqual([
    'DELETE /admin/accounts/acct_0/keys/key-1',
    'DELETE /admin/accounts/acct_0/keys/key-2',
  ])
})

test('a key of the operator is used as it is', async () => {
  haul.keys.add('own-key')
  await canary({ CANARY_API_KEY: 'own-key', CANARY_URL: `${haul.url}/media/completed` })
  expect(haul.requests.some((request) => request.includes('/admin/'))).toBe(false)
})

test('the token is also found in the secrets file', async () => {
  expect(await tryDeployment(haul.url, {}, { ADMIN_TOKEN })).toContain('bytes that are the same')
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
