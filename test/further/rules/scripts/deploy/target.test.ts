import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { workerSettings } from '../../../../../domain/settings/worker-settings.ts'
import { deploymentConfig } from '../../../../../scripts/deploy/deployment-config.ts'
import { deployOptions, rollbackCommand } from '../../../../../scripts/deploy/options.ts'
import { readTarget, type Target } from '../../../../../scripts/deploy/target.ts'
import type { WranglerToml } from '../../../../../scripts/wrangler-toml.ts'

const [production, staging] = ['production', 'staging'].map((env) => readTarget(env, 'wrangler.toml')) as [
  Target,
  Target,
]

/** Everything that a deployment creates or changes has one of these names. */
const namesOf = ({ worker, container, queues, bucket, database, config }: Target): string[] => [
  ...[worker, `container ${container.name}`, ...queues, bucket, `database ${database.name}`],
  ...(config.ratelimits ?? []).map(({ namespace_id }) => `limit ${namespace_id}`),
]

test('production and staging share no resource', () => {
  const names = [...namesOf(production), ...namesOf(staging)]
  expect(names).toContain('haul-staging-steps-dead')
  expect(new Set(names).size).toBe(names.length)
})

test('staging differs from production only by its names, so that it tests what production is', () => {
  const comparable = ({ config: { vars: _, ...config } }: Target) =>
    JSON.stringify(config, (key, value) => (/^(database_id|namespace_id)$/.test(key) ? undefined : value), 2)
  expect(comparable(staging).replaceAll('haul-staging', 'haul')).toBe(comparable(production))
})

describe('an environment has the variables of production, and what its own file says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-environments-'))
  afterAll(() => rm(folder, { recursive: true }))
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const path = join(folder, 'wrangler.toml')

  const withDatabase = (id: string) => `name = "haul"
routes = [{ pattern = "haul.example", custom_domain = true }]
[vars]
PUBLIC_URL = "https://haul.example"
RETENTION_DAYS = 30
PRICES = "free"
[[containers]]
name = "engines"
image = "./Dockerfile"
image_build_context = "."
[[d1_databases]]
binding = "DB"
database_name = "haul"
database_id = "${id}"
[[r2_buckets]]
binding = "MEDIA"
bucket_name = "haul-media"
`

  test('but neither its addresses, its routes nor the ids of its resources', async () => {
    await write('wrangler.toml', withDatabase('1b2c'))
    await write('wrangler.test.toml', 'workers_dev = false\n[vars]\nRETENTION_DAYS = 1\n')
    expect(readTarget('test', path)).toMatchObject({
      worker: 'haul-test',
      vars: { RETENTION_DAYS: '1', PRICES: 'free' },
      container: { name: 'test-engines', dockerfile: join(folder, 'Dockerfile'), buildContext: folder },
      database: { name: 'haul-test', id: null },
      bucket: 'haul-test-media',
      customDomain: null,
      hasWorkersDev: false,
    })
    expect(readTarget('test', path).vars).not.toHaveProperty('PUBLIC_URL')
    expect(readTarget('production', path)).toMatchObject({ customDomain: 'haul.example', database: { id: '1b2c' } })
  })

  test('and an id of zeros is none: the deployment finds the database by its name', async () => {
    await write('wrangler.toml', withDatabase('00000000-0000-0000-0000-000000000000'))
    expect(readTarget('production', path).database).toMatchObject({ name: 'haul', id: null })
  })

  test('and a section [env] of wrangler.toml, which would not be read, is refused', async () => {
    await write('wrangler.toml', '[env.test]\nname = "x"\n')
    expect(() => readTarget('test', path)).toThrow('Another environment has a file: wrangler.NAME.toml.')
  })
})

test('an environment that does not exist is refused with those that do', () => {
  const message = 'There is no environment "stagin". wrangler.toml has: production, staging.'
  expect(() => readTarget('stagin', 'wrangler.toml')).toThrow(message)
})

test('no more containers are started than Cloudflare would run', () => {
  const { MAX_ENGINES = workerSettings.MAX_ENGINES.default } = production.vars
  const [container] = production.config.containers ?? []
  expect(container).toMatchObject({ max_instances: expect.any(Number) })
  expect(Number(MAX_ENGINES)).toBeLessThanOrEqual((container as { max_instances?: number }).max_instances ?? 0)
})

test('the instance has a size that Cloudflare allows', () => {
  const [container] = production.config.containers ?? []
  const { instance_type } = container as { instance_type?: Record<string, number> }
  const { vcpu, memory_mib, disk_mb } = instance_type ?? {}
  const memoryGib = Number(memory_mib) / 1024
  expect(vcpu).toBeGreaterThanOrEqual(1)
  expect(memoryGib).toBeLessThanOrEqual(12)
  expect(memoryGib / Number(vcpu)).toBeGreaterThanOrEqual(3)
  expect(disk_mb).toBe(20_000)
})

test.each([
  [[], {}, 'production'],
  [['--env', 'staging'], {}, 'staging'],
  [[], { CLOUDFLARE_ENV: 'staging' }, 'staging'],
  [['-e', 'production'], { CLOUDFLARE_ENV: 'staging' }, 'production'],
])('with %j and %j the environment is %s', (args, variables, env) => {
  expect(deployOptions(args, variables).env).toBe(env)
})

test('an option that does not exist is refused', () => {
  expect(() => deployOptions(['--enviroment', 'staging'], {})).toThrow("Unknown option '--enviroment'")
})

test.each([
  ['production', 'npm run rollback -- --to 4f'],
  ['staging', 'npm run rollback -- --env staging --to 4f'],
])('the command that takes %s back', (env, command) => expect(rollbackCommand(env, '4f')).toBe(command))

const config: WranglerToml = {
  main: '/haul/worker/index.ts',
  containers: [{ image: '/haul/container/Dockerfile', image_build_context: '/haul' }],
  d1_databases: [{ binding: 'DB', migrations_dir: '/haul/migrations' }],
  r2_buckets: [{ binding: 'MEDIA', bucket_name: 'haul-media' }],
  vars: { SANDBOX: 'strict' },
}
const resolved = { image: 'registry.cloudflare.com/a/b:c', databaseId: 'id', vars: { PUBLIC_URL: 'https://a.example' } }
const target = { config, vars: {} } as unknown as Target

test("wrangler's file has the image, the database and the variables that the deployment has found out", () => {
  expect(deploymentConfig(target, resolved)).toEqual({
    ...config,
    containers: [{ image: resolved.image }],
    d1_databases: [{ binding: 'DB', database_id: 'id', migrations_dir: '/haul/migrations' }],
    vars: { SANDBOX: 'strict', PUBLIC_URL: 'https://a.example' },
  })
})

test.each([production, staging])('the file for $env says that nobody can log in to a container', (target) => {
  expect(deploymentConfig(target, resolved).containers).toMatchObject([{ ssh: { enabled: false } }])
})

test('containers are limited to the regions of REGION, unless wrangler.toml limits them itself', () => {
  const inOceania = { ...target, vars: { REGION: 'oc' } }
  expect(deploymentConfig(inOceania, resolved)).toMatchObject({
    containers: [{ constraints: { regions: ['OC', 'APAC'] } }],
  })
  const containers = [{ constraints: { jurisdiction: 'eu' as const } }]
  expect(deploymentConfig({ ...inOceania, config: { ...config, containers } }, resolved)).toMatchObject({ containers })
})

test('a full canary has sizes, which are checked before anything is deployed', () => {
  expect(deployOptions([], {}).largeBytes).toBeNull()
  const full = ['--canary', 'full']
  expect(deployOptions(full, {}).largeBytes).toBe(10_000_000_000)
  expect(deployOptions(full, { CANARY_LARGE_BYTES: '5000' }).largeBytes).toBe(5_000)
  expect(() => deployOptions(full, { CANARY_LARGE_BYTES: '10 GB' })).toThrow('CANARY_LARGE_BYTES is "10 GB"')
  expect(() => deployOptions(['--canary', 'large'], {})).toThrow('--canary is "large", not small or full.')
})
