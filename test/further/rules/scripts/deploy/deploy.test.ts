import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, openDeployment, type Run } from './run-script.ts'

/**
 * The deployment script with a double of Cloudflare's API: wrangler itself bundles, migrates and uploads. A run starts up
 * to four wrangler processes, and each takes about a second of CPU time. So several tests check the results of one run.
 */
const RUN_TIMEOUT_MS = 180_000

const paths = ({ cloudflare }: Deployment, from = 0): string[] =>
  cloudflare.writes.slice(from).map(({ method, path }) => `${method} ${path}`)

describe('a deployment to staging, in an account where production is deployed', () => {
  let deployment: Deployment
  let first: Run
  let second: Run
  let writesOfFirst: number

  beforeAll(async () => {
    deployment = await openDeployment()
    const { account } = deployment.cloudflare
    account.queues.push({ queue_id: 'production-queue', queue_name: 'haul-steps', consumers: [] })
    account.buckets.push({ name: 'haul-media', rules: [], cors: null })
    const args = ['--env', 'staging', '--skip-checks', '--secrets-file', deployment.secretsFile]
    first = await deployment.run('main.ts', args)
    writesOfFirst = deployment.cloudflare.writes.length
    second = await deployment.run('main.ts', ['--env', 'staging', '--skip-checks'], { ADMIN_TOKEN: 'admin-token' })
  }, RUN_TIMEOUT_MS)
  afterAll(() => deployment.close())

  test('it succeeds, and asks for nothing that the double does not know', () => {
    expect(first.output).toContain('Deployed haul-staging, version ')
    expect([first.code, second.code, deployment.cloudflare.unknown]).toEqual([0, 0, []])
  })

  test('no write names anything of production', () => {
    const names = ['haul', 'haul-media', 'haul-steps', 'haul-steps-dead', 'haul-webhooks']
    const production = [...names, 'haul-webhooks-dead', 'haul-engineobject', 'production-queue']
    for (const { method, path, text } of deployment.cloudflare.writes) {
      // Wrangler's label for all environments of a configuration.
      const body = text.replace('"cf:service=haul"', '')
      for (const name of production) {
        const asWhole = new RegExp(`(?<![\\w-])${name}(?![\\w-])`)
        expect(path, `${method} ${path}`).not.toMatch(asWhole)
        if (!path.includes('/query') && !text.includes('form-data; name="index.js"')) expect(body).not.toMatch(asWhole)
      }
    }
    const { metadata } = uploadOf(deployment)
    expect(JSON.stringify(metadata)).not.toMatch(/(?<![\w-])haul(?!-staging|_)[\w-]*/)
  })

  test('production keeps what it has', () => {
    const { queues, buckets, databases, workers, applications } = deployment.cloudflare.account
    expect(queues.find(({ queue_name }) => queue_name === 'haul-steps')?.consumers).toEqual([])
    expect(buckets.find(({ name }) => name === 'haul-media')?.rules).toEqual([])
    const all = [...databases, ...workers, ...applications].map(({ name }) => name)
    expect(all).toEqual(['haul-staging', 'haul-staging', 'haul-staging-engineobject'])
  })

  test('the image comes first, then resources, migrations, the Worker, its containers, and the canary', async () => {
    const writes = paths(deployment).slice(0, writesOfFirst)
    const indexes = [
      /registries/,
      /queues$/,
      /r2\/buckets$/,
      /d1\/database$/,
      /query$/,
      /^PUT .*scripts/,
      /applications$/,
    ].map((pattern) => writes.findIndex((path) => pattern.test(path)))
    expect(indexes).not.toContain(-1)
    expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
    expect((await deployment.docker.calls())[0]).toMatch(/^build /)
    expect(deployment.haul.requests).toContain('POST /import')
    expect(deployment.haul.keys.size).toBe(0)
  })

  test('the image is built without speech weights, and deployed by its reference', async () => {
    const { account } = deployment.cloudflare
    const [build, , , push] = await deployment.docker.calls()
    expect(build).toContain('--build-arg SPEECH=speakers --build-arg SPEECH_MODEL=whisper --build-arg RUN_AS=node')
    expect(push).toBe(`push ${account.applications[0]?.configuration.image}`)
    expect(account.applications[0]?.configuration).toMatchObject({ disk: { size_mb: 20_000 }, vcpu: 1 })
    // Nobody can log in to a container.
    expect(account.applications[0]?.configuration).toMatchObject({ wrangler_ssh: { enabled: false } })
  })

  test('the Worker is told where the bucket is', () => {
    const { account } = deployment.cloudflare
    expect(uploadOf(deployment).vars).toMatchObject({
      MEDIA_S3_ENDPOINT: `https://${account.id}.r2.cloudflarestorage.com/haul-staging-media`,
    })
  })

  test('its bucket keeps media a day longer than RETENTION_DAYS, and takes parts of uploads from pages, which read their ETags', () => {
    const bucket = deployment.cloudflare.account.buckets.find(({ name }) => name === 'haul-staging-media')
    expect(bucket?.rules[0]).toMatchObject({ deleteObjectsTransition: { condition: { maxAge: 8 * 86_400 } } })
    expect(bucket?.cors).toMatchObject([
      { allowed: { methods: ['PUT'], origins: ['*'], headers: ['content-type'] }, exposeHeaders: ['ETag'] },
    ])
  })

  test('the command that restores the database is printed before its migrations', () => {
    const restore = 'npx wrangler d1 time-travel restore haul-staging --bookmark='
    // Nothing was written to a database that is new.
    expect(first.output).toContain(`${restore}00000000\n`)
    expect(first.output.indexOf(restore)).toBeLessThan(first.output.indexOf('0001_first.sql'))
    expect(second.output).toMatch(new RegExp(`${restore}(?!00000000)\\d{8}\\n`))
  })

  test('all migrations are applied to its database', async () => {
    const sqlite = deployment.cloudflare.account.databases[0]?.sqlite
    const applied = sqlite?.prepare('SELECT name FROM d1_migrations ORDER BY id').all()
    const files = await readdir(join(import.meta.dirname, '../../../../../migrations'))
    expect(applied).toEqual(files.sort().map((name) => expect.objectContaining({ name })))
  })

  test('a second run changes nothing but the deployment, and says which command goes back', async () => {
    const writes = paths(deployment, writesOfFirst).filter((path) => !/\/query$|consumers|subdomain$/.test(path))
    expect(writes).toEqual([
      'POST /workers/scripts/haul-staging/assets-upload-session',
      'PUT /workers/scripts/haul-staging',
      'PATCH /workers/scripts/haul-staging/script-settings',
      'PUT /workers/scripts/haul-staging/schedules',
    ])
    expect((await deployment.docker.calls()).filter((call) => call.startsWith('build'))).toHaveLength(1)
    expect(second.output).toContain('is deployed already')
    const [, before] = deployment.cloudflare.account.workers[0]?.deployments ?? []
    expect(second.output).toContain(
      `To go back: npm run rollback -- --env staging --to ${before?.versions[0]?.version_id}`,
    )
  })

  describe('then a version whose canary fails', () => {
    let failing: Run
    let image: string | undefined

    beforeAll(async () => {
      const { account } = deployment.cloudflare
      image = account.applications[0]?.configuration.image
      deployment.haul.imports = 'wrong-bytes'
      const args = ['--env', 'staging', '--skip-checks', '--fresh-image', '--rollback-on-failure']
      failing = await deployment.run('main.ts', args, { ADMIN_TOKEN: 'admin-token' })
    }, RUN_TIMEOUT_MS)

    test('the failure is reported, and with --rollback-on-failure the Worker and the image are rolled back', () => {
      expect(failing.code).toBe(1)
      expect(failing.output).toMatch(/FAILED: imp_1 has 22 bytes that are not the 23 bytes of/)
      const { workers, applications } = deployment.cloudflare.account
      const deployed = workers[0]?.deployments.map(({ versions }) => versions[0]?.version_id)
      expect(workers[0]?.versions).toHaveLength(3)
      expect(deployed?.[0]).toBe(deployed?.[2])
      expect(applications[0]?.configuration.image).toBe(image)
      expect(applications[0]?.rollouts).toMatchObject([
        { target_configuration: { image: expect.stringMatching(/-\d{14}$/) } },
        { target_configuration: { image } },
      ])
      expect(failing.output).toContain('Not undone: database migrations')
    })

    test(
      '`npm run rollback` then goes to the version before, not forward to the failed one',
      async () => {
        const { workers } = deployment.cloudflare.account
        const { code, output } = await deployment.run('rollback-main.ts', ['--env', 'staging'])
        expect([code, output]).toEqual([
          0,
          expect.stringContaining('The containers have the image of this version already'),
        ])
        expect(workers[0]?.deployments[0]?.versions[0]?.version_id).toBe(workers[0]?.versions[0]?.id)
        expect(deployment.cloudflare.unknown).toEqual([])
      },
      RUN_TIMEOUT_MS,
    )
  })
})

test(
  'a failing migration deploys no Worker, and production is the top level whatever CLOUDFLARE_ENV says',
  async () => {
    const deployment = await openDeployment()
    const { account, addDatabase } = deployment.cloudflare
    addDatabase('haul').exec('CREATE TABLE credentials (id)')
    addDatabase('haul-staging')
    const args = ['--env', 'production', '--skip-checks', '--secrets-file', deployment.secretsFile]
    const { code, output } = await deployment.run('main.ts', args, { CLOUDFLARE_ENV: 'staging' })
    expect([code, account.workers, account.applications]).toEqual([1, [], []])
    expect(output).toContain('table credentials already exists')
    const tables = account.databases[1]?.sqlite.prepare('SELECT name FROM sqlite_master').all()
    expect(tables).toEqual([])
    await deployment.close()
  },
  RUN_TIMEOUT_MS,
)

const uploadOf = ({ cloudflare }: Deployment) => {
  const metadata = JSON.parse(String(cloudflare.writes.find(({ form }) => form)?.form?.get('metadata')))
  const vars: Record<string, string> = {}
  for (const { type, name, text } of metadata.bindings) if (type === 'plain_text') vars[name] = text
  return { metadata, vars }
}
