import { expect, test } from 'vitest'
import { experimental_readRawConfig, unstable_readConfig } from 'wrangler'
import { deploymentConfig, type WranglerToml } from '../../../../../scripts/deploy/deployment-config.ts'
import { deployOptions, rollbackCommand } from '../../../../../scripts/deploy/options.ts'
import { readTarget, type Target } from '../../../../../scripts/deploy/target.ts'

const [production, staging] = ['production', 'staging'].map((env) => readTarget(env, 'wrangler.toml')) as [
  Target,
  Target,
]

/** Everything that a deployment creates or changes has one of these names. */
const namesOf = ({ env, worker, container, queues, bucket, database }: Target): string[] => [
  ...[worker, `container ${container.name}`, ...queues, bucket, `database ${database.name}`],
  ...unstable_readConfig({ config: 'wrangler.toml', env: env === 'production' ? '' : env }).ratelimits.map(
    ({ namespace_id }: { namespace_id: string }) => `limit ${namespace_id}`,
  ),
  ...(database.id ? [database.id] : []),
]

test('production and staging share no resource', () => {
  const names = [...namesOf(production), ...namesOf(staging)]
  expect(new Set(names).size).toBe(names.length)
})

test('staging differs from production only by its names, so that it tests what production is', () => {
  const [top, other] = ['', 'staging'].map((env) => unstable_readConfig({ config: 'wrangler.toml', env }))
  const comparable = (config: object) => {
    const text = JSON.stringify(
      config,
      (key, value) => (/^(database_id|namespace_id|targetEnvironment)$/.test(key) ? '' : value),
      2,
    )
    return text.replaceAll('haul-staging', 'haul')
  }
  expect(comparable(other)).toBe(comparable(top))
})

test('an environment that does not exist is refused with those that do', () => {
  const message = 'There is no environment "stagin". wrangler.toml has: production, staging.'
  expect(() => readTarget('stagin', 'wrangler.toml')).toThrow(message)
})

test('no more containers are started than Cloudflare would run', () => {
  const { containers, vars } = unstable_readConfig({ config: 'wrangler.toml', env: '' })
  expect(Number(vars.MAX_ENGINES)).toBeLessThanOrEqual(containers?.[0]?.max_instances ?? 0)
})

test('the instance has a size that Cloudflare allows', () => {
  const { containers } = unstable_readConfig({ config: 'wrangler.toml', env: '' })
  const { vcpu, memory_mib, disk_mb }: Record<string, number> = containers[0].instance_type
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

const toml: WranglerToml = {
  main: 'worker/index.ts',
  assets: { directory: './console' },
  containers: [{ image: './container/Dockerfile', image_build_context: '.' }],
  d1_databases: [{ migrations_dir: 'migrations' }],
  r2_buckets: [{ bucket_name: 'haul-media' }],
  vars: { SANDBOX: 'strict' },
  env: { staging: { vars: { SANDBOX: 'strict' } }, other: { vars: {} } },
}
const resolved = { image: 'registry.cloudflare.com/a/b:c', databaseId: 'id', vars: { PUBLIC_URL: 'https://a.example' } }
const target = { env: 'staging', configPath: '/haul/wrangler.toml', vars: {} } as unknown as Target

test("wrangler's file for staging has nothing of production or of other environments", () => {
  expect(deploymentConfig(toml, target, resolved)).toEqual({
    main: '/haul/worker/index.ts',
    assets: { directory: '/haul/console' },
    env: {
      staging: { containers: [], d1_databases: [], vars: { SANDBOX: 'strict', PUBLIC_URL: 'https://a.example' } },
    },
  })
})

test("wrangler's file for production has the image, the database and no environment", () => {
  expect(deploymentConfig(toml, { ...target, env: 'production' }, resolved)).toEqual({
    main: '/haul/worker/index.ts',
    assets: { directory: '/haul/console' },
    containers: [{ image: resolved.image }],
    d1_databases: [{ database_id: 'id', migrations_dir: '/haul/migrations' }],
    r2_buckets: [{ bucket_name: 'haul-media' }],
    vars: { SANDBOX: 'strict', PUBLIC_URL: 'https://a.example' },
  })
})

test.each([production, staging])('the file for $env says that nobody can log in to a container', (target) => {
  const { rawConfig } = experimental_readRawConfig({ config: target.configPath })
  const config = deploymentConfig(rawConfig, target, resolved) as WranglerToml
  const { containers } = config.env?.[target.env] ?? config
  expect(containers).toMatchObject([{ ssh: { enabled: false } }])
})

test('containers are limited to the regions of REGION, unless wrangler.toml limits them itself', () => {
  const inOceania = { ...target, env: 'production', vars: { REGION: 'oc' } }
  expect(deploymentConfig(toml, inOceania, resolved)).toMatchObject({
    containers: [{ constraints: { regions: ['OC', 'APAC'] } }],
  })
  const containers = [{ constraints: { jurisdiction: 'eu' } }]
  expect(deploymentConfig({ ...toml, containers }, inOceania, resolved)).toMatchObject({ containers })
})

test('a full canary has sizes, which are checked before anything is deployed', () => {
  expect(deployOptions([], {}).largeBytes).toBeNull()
  const full = ['--canary', 'full']
  expect(deployOptions(full, {}).largeBytes).toBe(10_000_000_000)
  expect(deployOptions(full, { CANARY_LARGE_BYTES: '5000' }).largeBytes).toBe(5_000)
  expect(() => deployOptions(full, { CANARY_LARGE_BYTES: '10 GB' })).toThrow('CANARY_LARGE_BYTES is "10 GB"')
  expect(() => deployOptions(['--canary', 'large'], {})).toThrow('--canary is "large", not small or full.')
})
