import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { run } from '../setup/command.mjs'
import { canarySteps, tryDeployment } from './canary/canary.ts'
import type { CloudflareApi } from './cloudflare/api.ts'
import { deployedVersions, messageWithImage, publicUrl } from './cloudflare/versions.ts'
import { runProgram } from './cloudflare/wrangler.ts'
import { writeDeploymentConfig } from './deployment-config.ts'
import { type DeployOptions, deployOptions, rollbackCommand } from './options.ts'
import { createProgress } from './progress.ts'
import { type RollbackContext, rollBack } from './rollback.ts'
import { type EngineImage, prepareImage } from './steps/image.ts'
import { createMissingResources } from './steps/resources.ts'
import { checkSettings } from './steps/settings.ts'
import { readTarget, type Target } from './target.ts'

/**
 * What `npm run deploy` runs. Whatever can fail without consequences comes first: a deployment that stops before the
 * migrations has changed nothing that callers notice. Running it again changes nothing but the deployment.
 */

const root = join(import.meta.dirname, '../..')
const print = (line: string): void => console.log(line)
const { env } = process

const check = (): Promise<void> =>
  runProgram(process.execPath, [join(root, 'scripts/check/main.ts')], { env, name: 'npm run check' })

const undo = async (context: RollbackContext, options: DeployOptions, to: string, reason: string): Promise<void> => {
  print(`FAILED: ${reason}\nThe new version is live. To go back: ${rollbackCommand(options.env, to)}`)
  if (options.rollbackOnFailure || (await isWanted('Go back now? (y/N) '))) await rollBack(context, to)
}

const isWanted = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(question)
  terminal.close()
  return /^y/i.test(answer)
}

const varsFor = (target: Target, accountId: string): Record<string, string> => ({
  MEDIA_S3_ENDPOINT:
    env.MEDIA_S3_ENDPOINT ||
    target.vars.MEDIA_S3_ENDPOINT ||
    `https://${accountId}.r2.cloudflarestorage.com/${target.bucket}`,
  ...(env.PUBLIC_URL ? { PUBLIC_URL: env.PUBLIC_URL } : {}),
})

/** The command that restores the database as it is now. It works for 30 days. */
const restoreCommand = async (api: CloudflareApi, name: string, databaseId: string): Promise<string> => {
  const current = await api.get<{ bookmark: string }>(`/d1/database/${databaseId}/time_travel/bookmark`)
  if (!current) throw new Error(`Cloudflare knows no bookmark of the database ${name}.`)
  return `npx wrangler d1 time-travel restore ${name} --bookmark=${current.bookmark}`
}

const applyMigrations = (api: CloudflareApi, target: Target, configPath: string): Promise<void> =>
  api.wrangler([
    ...['d1', 'migrations', 'apply', target.database.binding, '--remote'],
    ...['--config', configPath, ...target.envArgs],
  ])

const deployWorker = async (
  api: CloudflareApi,
  target: Target,
  { configPath, image, options }: { configPath: string; image: EngineImage; options: DeployOptions },
): Promise<string> => {
  const commit = await currentCommit()
  await api.wrangler([
    ...['deploy', '--config', configPath, ...target.envArgs, '--message', messageWithImage(image.reference)],
    ...(commit ? ['--tag', commit] : []),
    ...(options.secretsFile ? ['--secrets-file', resolve(options.secretsFile)] : []),
  ])
  const [current] = await deployedVersions(api, target.worker)
  if (!current) throw new Error(`Cloudflare lists no deployment of ${target.worker}.`)
  return current.versionId
}

const currentCommit = (): Promise<string | null> =>
  run('git', ['describe', '--always', '--dirty', '--exclude=*'], { cwd: root }).catch(() => null)

const deploy = async (options: DeployOptions): Promise<void> => {
  const target = readTarget(options.env, join(root, 'wrangler.toml'))
  await writeDeploymentConfig(target)
  print(`Deploying ${target.env}: the Worker ${target.worker}`)
  const progress = createProgress(6 + canarySteps(options.largeBytes), print)

  const { api, secretsFile } = await progress.step(
    'settings and login',
    () => checkSettings(target, options, env),
    (ready) => `account ${ready.api.accountId}${ready.isFirstDeployment ? ', first deployment' : ''}`,
  )
  await progress.step(
    'npm run check',
    () => (options.skipChecks ? Promise.resolve() : check()),
    () => (options.skipChecks ? 'skipped' : 'passed'),
  )
  const image = await progress.step(
    'image of the container',
    () => prepareImage(api, target, { fresh: options.freshImage, now: new Date(), env }),
    ({ reference, isNew }) => `${reference} ${isNew ? 'built and pushed' : 'is deployed already'}`,
  )
  const { databaseId } = await progress.step(
    'queues, bucket and database',
    () => createMissingResources(api, target),
    ({ changes }) => changes.join(', ') || 'all exist',
  )
  const vars = varsFor(target, api.accountId)
  const configPath = await writeDeploymentConfig(target, { image: image.reference, databaseId, vars })
  await progress.step(
    'database migrations',
    async () => {
      const { name } = target.database
      print(`    To undo them, with all that is written from now on: ${await restoreCommand(api, name, databaseId)}`)
      await applyMigrations(api, target, configPath)
    },
    () => `${target.database.name} is up to date`,
  )
  const previous = (await deployedVersions(api, target.worker))[0]?.versionId
  const context = { api, target, env, print }
  try {
    const versionId = await progress.step(
      'Worker',
      () => deployWorker(api, target, { configPath, image, options }),
      (id) => `version ${id}`,
    )
    const url = await publicUrl(api, target, env)
    await tryDeployment({ baseUrl: url, env, secretsFile }, options.largeBytes, progress)
    print(`\nDeployed ${target.worker}, version ${versionId}, at ${url ?? 'its routes'}`)
    if (previous) print(`Before it: ${previous}. To go back: ${rollbackCommand(target.env, previous)}`)
  } catch (error) {
    const [current] = await deployedVersions(api, target.worker)
    if (current === undefined || current.versionId === previous) throw error
    const reason = (error as Error).message
    if (!previous)
      throw new Error(`FAILED: ${reason}\nThe Worker is live, and there is no earlier version to go back to.`)
    await undo(context, options, previous, reason)
    process.exitCode = 1
  }
}

try {
  await deploy(deployOptions(process.argv.slice(2), env))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
