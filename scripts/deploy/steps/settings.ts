import { readFile } from 'node:fs/promises'
import { type CloudflareApi, openCloudflare } from '../cloudflare/api.ts'
import { missingFor, parseSecrets } from '../missing-settings.ts'
import type { DeployOptions } from '../options.ts'
import type { Target } from '../target.ts'

export interface Settings {
  api: CloudflareApi
  /** Of the file that was given, for the canary. */
  secretsFile: Record<string, string> | null
  isFirstDeployment: boolean
}

/** The first request with the login. Fails with everything that is missing, at once. */
export const checkSettings = async (
  target: Target,
  options: DeployOptions,
  env: NodeJS.ProcessEnv,
): Promise<Settings> => {
  const secretsFile = options.secretsFile ? parseSecrets(await readFile(options.secretsFile, 'utf8')) : null
  const login = await logIn(target, env)
  // Without a login it is not known which secrets the Worker has.
  const deployedSecrets = 'api' in login ? login.deployedSecrets : target.requiredSecrets
  const missing = missingFor(target, { env, deployedSecrets, secretsFile })
  if ('api' in login && missing.length === 0) {
    return { api: login.api, secretsFile, isFirstDeployment: deployedSecrets === null }
  }
  const lines = [...('refusal' in login ? [login.refusal] : []), ...missing]
  throw new Error(`Not ready to deploy:\n${lines.map((line) => `- ${line}`).join('\n')}`)
}

type Login = { api: CloudflareApi; deployedSecrets: string[] | null } | { refusal: string }

const logIn = async (target: Target, env: NodeJS.ProcessEnv): Promise<Login> => {
  try {
    const api = await openCloudflare(target, env)
    const secrets = await api.get<{ name: string }[]>(`/workers/scripts/${target.worker}/secrets`)
    return { api, deployedSecrets: secrets?.map(({ name }) => name) ?? null }
  } catch (error) {
    return { refusal: (error as Error).message }
  }
}
