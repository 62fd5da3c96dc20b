import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from '../../../../../scripts/start/environment.ts'
import { type FakeCloudflare, startCloudflare } from '../../../../doubles/cloudflare-api/cloudflare.ts'
import { ADMIN_TOKEN, type DeployedHaul, startDeployedHaul } from '../../../../doubles/cloudflare-api/deployed-haul.ts'
import { createDocker, type FakeDocker } from '../../../../doubles/cloudflare-api/docker.ts'

/** An account of Cloudflare, Docker, what is deployed there, and the script that deploys it. */
export interface Deployment {
  cloudflare: FakeCloudflare
  docker: FakeDocker
  haul: DeployedHaul
  secretsFile: string
  /** Runs `npm run deploy`, or `npm run rollback`, without the checks. */
  run(script: 'main.ts' | 'rollback-main.ts', args: string[], env?: Record<string, string>): Promise<Run>
  close(): Promise<void>
}

export interface Run {
  code: number
  output: string
}

const root = join(import.meta.dirname, '../../../../..')

const secrets = {
  HAUL_SECRET: 'a-secret-for-tests',
  SEAL_KEYS: 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  ADMIN_TOKEN,
  ENGINE_TOKEN: 'engine-token',
  MEDIA_S3_ACCESS_KEY_ID: 'r2-key',
  MEDIA_S3_SECRET_ACCESS_KEY: 'r2-secret',
}

/** Wrangler reports nothing, and writes no logs. */
const quiet = { WRANGLER_SEND_METRICS: 'false', WRANGLER_SEND_ERROR_REPORTS: 'false', WRANGLER_WRITE_LOGS: 'false' }

export const openDeployment = async (): Promise<Deployment> => {
  const [cloudflare, docker, haul] = await Promise.all([startCloudflare(), createDocker(), startDeployedHaul()])
  const folder = await mkdtemp(join(tmpdir(), 'haul-deploy-'))
  const secretsFile = join(folder, 'secrets.env')
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(secretsFile, lines.join(''))
  const run = async (script: string, args: string[], env: Record<string, string> = {}): Promise<Run> => {
    const child = spawn(process.execPath, [join(root, 'scripts/deploy', script), ...args], {
      cwd: folder,
      // Not our own environment: it may have a login.
      env: {
        ...compileCache,
        ...{ PATH: process.env.PATH, HOME: folder, WRANGLER_DOCKER_BIN: docker.command, PUBLIC_URL: haul.url },
        ...{ ...quiet, ...cloudflare.env, ...env },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const [code] = await once(child, 'close')
    return { code, output }
  }
  return {
    ...{ cloudflare, docker, haul, secretsFile, run },
    close: async () => {
      await Promise.all([cloudflare.close(), docker.close(), haul.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
