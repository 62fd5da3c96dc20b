import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { problemsIn } from '../../../domain/settings/settings.ts'
import { openCloudflare } from '../cloudflare/api.ts'
import type { DeployOptions } from '../options.ts'
import type { Target } from '../target.ts'

/** The first request with the login. Fails with everything that is missing, at once. */
export const checkSettings = async (target: Target, options: DeployOptions, env: NodeJS.ProcessEnv) => {
  const secretsFile = options.secretsFile ? parseSecrets(await readFile(options.secretsFile, 'utf8')) : null
  const login = await logIn(target, env).catch((error: Error) => error)
  const isRefused = login instanceof Error
  // Without a login it is not known which secrets the Worker has.
  const deployedSecrets = isRefused ? target.requiredSecrets : login.deployedSecrets
  const missing = missingFor(target, { env, deployedSecrets, secretsFile })
  if (!isRefused && missing.length === 0)
    return { api: login.api, secretsFile, isFirstDeployment: deployedSecrets === null }
  const lines = [...(isRefused ? [login.message] : []), ...missing]
  throw new Error(`Not ready to deploy:\n${lines.map((line) => `- ${line}`).join('\n')}`)
}

const logIn = async (target: Target, env: NodeJS.ProcessEnv) => {
  const api = await openCloudflare(target, env)
  const secrets = await api.get<{ name: string }[]>(`/workers/scripts/${target.worker}/secrets`)
  return { api, deployedSecrets: secrets?.map(({ name }) => name) ?? null }
}

export interface GivenSettings {
  env: NodeJS.ProcessEnv
  /** Names of the deployed Worker's secrets. null: there is no Worker yet. */
  deployedSecrets: string[] | null
  secretsFile: Record<string, string> | null
}

export const missingFor = (target: Target, given: GivenSettings): string[] => [
  ...missingSecrets(target, given),
  ...problemsIn('worker', { ...target.vars, ...overridden(given.env), ...given.secretsFile }),
  ...otherWorker(target, given.env),
]

const missingSecrets = ({ worker, env, requiredSecrets }: Target, given: GivenSettings): string[] => {
  const set = Object.entries(given.secretsFile ?? {}).flatMap(([name, value]) => (value ? [name] : []))
  const missing = requiredSecrets.filter((name) => ![...set, ...(given.deployedSecrets ?? [])].includes(name))
  if (missing.length === 0) return []
  if (given.deployedSecrets) {
    const command = (name: string) => `npx wrangler secret put ${name} --env "${env === 'production' ? '' : env}"`
    return missing.map((name) => `The secret ${name} is not set: run \`${command(name)}\`.`)
  }
  // Wrangler uploads a Worker's first version only together with the secrets that it requires.
  return [
    `The Worker ${worker} does not exist yet, so its secrets come from a file. Copy .dev.vars.example, set ${missing.join(', ')} in it, and add \`--secrets-file FILE\`.`,
  ]
}

const overridden = ({ PUBLIC_URL, MEDIA_S3_ENDPOINT }: NodeJS.ProcessEnv) => ({
  ...(PUBLIC_URL && { PUBLIC_URL }),
  ...(MEDIA_S3_ENDPOINT && { MEDIA_S3_ENDPOINT }),
})

/** In Workers Builds, wrangler deploys to the Worker that the build belongs to, whatever the configuration says. */
const otherWorker = ({ worker, env }: Target, { WRANGLER_CI_OVERRIDE_NAME: built }: NodeJS.ProcessEnv): string[] =>
  built && built !== worker
    ? [`This build belongs to the Worker ${built}, but the environment ${env} is the Worker ${worker}.`]
    : []

export const parseSecrets = (text: string): Record<string, string> =>
  text.trimStart().startsWith('{')
    ? JSON.parse(text)
    : Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']))
