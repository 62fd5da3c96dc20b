import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudflare } from '../../../../../scripts/deploy/cloudflare/api.ts'
import { rollBack } from '../../../../../scripts/deploy/rollback.ts'
import { readTarget } from '../../../../../scripts/deploy/target.ts'
import { type Deployment, openDeployment } from './run-script.ts'

/** A Worker that is back at version a, and whose containers still have the image of version b. */
let deployment: Deployment
const target = readTarget('staging', 'wrangler.toml')
const lines: string[] = []

beforeAll(async () => {
  deployment = await openDeployment()
  const { account } = deployment.cloudflare
  const at = '2026-11-01T00:00:00.000Z'
  const version = (id: string) => ({
    id,
    metadata: { created_on: at, modified_on: at, source: 'wrangler' },
    annotations: { 'workers/message': `image engine:${id}` },
    bindings: [],
  })
  const deployed = (id: string, second: number) => ({
    ...{ id: `${second}`, created_on: `2026-11-01T00:00:0${second}.000Z`, source: 'wrangler', strategy: 'percentage' },
    ...{ versions: [{ version_id: id, percentage: 100 }], annotations: {} },
  })
  account.workers.push({
    ...{ name: target.worker, secrets: [], migrationTag: 'v2', versions: [version('a'), version('b')] },
    deployments: [deployed('a', 3), deployed('b', 2), deployed('a', 1)],
  })
  const configuration = { image: image('b'), vcpu: 1 }
  account.applications.push({ id: 'application', name: target.container.name, configuration, rollouts: [] })
})
afterAll(() => deployment.close())

const image = (tag: string) => `registry.cloudflare.com/${deployment.cloudflare.account.id}/engine:${tag}`

const rollBackTo = async (to: string | null) => {
  const api = await openCloudflare(target, deployment.cloudflare.env)
  const env = { PUBLIC_URL: deployment.haul.url }
  await rollBack({ api, target, env, print: (line) => lines.push(line) }, to)
}

test('containers that cannot be replaced are reported, with what to do', async () => {
  deployment.cloudflare.account.rolloutRefusal = 'a rollout is in progress'
  await expect(rollBackTo('a')).rejects.toThrow(
    /^The Worker is back, and its containers are not: .* a rollout is in progress \[1000\] Run the same command again\.$/,
  )
  deployment.cloudflare.account.rolloutRefusal = null
})

test('running the command again replaces the containers and does not change the Worker', async () => {
  const { account } = deployment.cloudflare
  const [application] = account.applications
  expect(application?.configuration.image).toBe(image('b'))
  await rollBackTo('a')
  expect(application?.configuration).toEqual({ image: image('a'), vcpu: 1 })
  expect(application?.rollouts).toMatchObject([{ target_configuration: { image: image('a') }, step_percentage: 100 }])
  expect(account.workers[0]?.deployments).toHaveLength(3)
  expect(lines).toContain(`${deployment.haul.url}/health responds.`)
})

test('where there is no earlier version, or not the one that was named, nothing changes', async () => {
  const writes = deployment.cloudflare.writes.length
  await expect(rollBackTo(null)).rejects.toThrow('There is no version of haul-staging before a. Name one with --to.')
  await expect(rollBackTo('c')).rejects.toThrow('The Worker haul-staging has no version c.')
  expect(deployment.cloudflare.writes).toHaveLength(writes)
})
