import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudflare } from '../../../../../scripts/deploy/cloudflare/api.ts'
import { deployOptions } from '../../../../../scripts/deploy/options.ts'
import { prepareImage } from '../../../../../scripts/deploy/steps/image.ts'
import { checkSettings } from '../../../../../scripts/deploy/steps/settings.ts'
import { readTarget } from '../../../../../scripts/deploy/target.ts'
import { type Deployment, openDeployment } from './run-script.ts'

/** What stops a deployment before it has changed anything. */
let deployment: Deployment
const target = readTarget('staging', 'wrangler.toml')

beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(async () => {
  expect(deployment.cloudflare.writes).toEqual([])
  await deployment.close()
})

const check = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  checkSettings(target, deployOptions(args, {}), { ...deployment.cloudflare.env, ...env })

test('everything that is missing is named at once', async () => {
  const refused = check({ CLOUDFLARE_API_TOKEN: 'another', WRANGLER_CI_OVERRIDE_NAME: 'haul' })
  await expect(refused).rejects.toThrow(/^Not ready to deploy:\n- .*Authentication error \[10000\]\n- .*Worker haul,/)
})

test('the secrets of a first deployment come from a file', async () => {
  await expect(check({})).rejects.toThrow(/haul-staging does not exist yet.* HAUL_SECRET, .*MEDIA_S3_SECRET_ACCESS_KEY/)
  const settings = await check({}, '--secrets-file', deployment.secretsFile)
  expect(settings.isFirstDeployment).toBe(true)
})

test('an account is chosen only if it is the only one', async () => {
  const { account } = deployment.cloudflare
  const env = { ...deployment.cloudflare.env, CLOUDFLARE_ACCOUNT_ID: '' }
  expect((await openCloudflare(target, env)).accountId).toBe(account.id)
  expect((await openCloudflare({ ...target, accountId: 'of-wrangler-toml' }, env)).accountId).toBe('of-wrangler-toml')
  account.others.push({ id: 'other', name: 'Other' })
  await expect(openCloudflare(target, env)).rejects.toThrow(
    /^Set CLOUDFLARE_ACCOUNT_ID to one of your accounts: .*other \(Other\)/,
  )
})

test('a failing build of the image touches nothing', async () => {
  const { docker, cloudflare } = deployment
  await docker.breakBuilds()
  const api = await openCloudflare(target, cloudflare.env)
  const env = { PATH: process.env.PATH, WRANGLER_DOCKER_BIN: docker.command }
  const failed = prepareImage(api, target, { fresh: false, now: new Date(), env })
  await expect(failed).rejects.toThrow('docker build failed (code 1).')
  expect(await docker.calls()).toEqual([])
})
