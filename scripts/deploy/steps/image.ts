import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesIn } from '../../setup/install.mjs'
import type { CloudflareApi } from '../cloudflare/api.ts'
import { findApplication, imageReference, latestImage } from '../cloudflare/container-application.ts'
import { runProgram } from '../cloudflare/wrangler.ts'
import type { Target } from '../target.ts'

/**
 * Builds and pushes the image before anything else happens: `wrangler deploy` would do it after the new Worker is live.
 * The tag begins with a hash of the image's files. If the deployed image has the same hash, it is used again and no
 * container restarts. The time after the hash makes tags unique.
 */
export const prepareImage = async (
  api: CloudflareApi,
  target: Target,
  { fresh, now, env }: { fresh: boolean; now: Date; env: NodeJS.ProcessEnv },
) => {
  const buildArgs = {
    SPEECH: target.hasSpeech ? 'on' : 'speakers',
    SPEECH_MODEL: env.SPEECH_MODEL || 'whisper',
    RUN_AS: env.CONTAINER_USER || 'node',
  }
  const { name, dockerfile, buildContext } = target.container
  const content = await contentOf(target.container, Object.values(buildArgs))
  const application = await findApplication(api, name)
  const deployed = application && latestImage(application)
  if (!fresh && deployed?.startsWith(imageReference(api, `${name}:${content}-`)))
    return { reference: deployed, isNew: false }
  const local = `${name}:${content}-${now.toISOString().replace(/\D/g, '').slice(0, 14)}`
  const args = [
    ...['build', '--load', '--platform', 'linux/amd64', '--provenance=false'],
    ...(fresh ? ['--pull', '--no-cache'] : []),
    ...Object.entries(buildArgs).flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]),
    ...['-t', local, '-f', dockerfile, buildContext],
  ]
  await runProgram(env.WRANGLER_DOCKER_BIN || 'docker', args, { env, name: 'docker build' })
  await api.wrangler(['containers', 'push', local, '--config', target.configPath, ...target.envArgs])
  return { reference: imageReference(api, local), isNew: true }
}

export type EngineImage = Awaited<ReturnType<typeof prepareImage>>

const HASH_CHARACTERS = 16

export const contentOf = async (
  { dockerfile, buildContext }: Target['container'],
  buildArgs: readonly string[],
): Promise<string> => {
  const text = await readFile(dockerfile, 'utf8')
  const hash = createHash('sha256').update(text).update(buildArgs.join())
  for (const source of copiedPaths(text)) {
    for (const path of await filesIn(join(buildContext, source))) {
      hash.update(`\0${path.slice(buildContext.length)}\0`).update(await readFile(path))
    }
  }
  return hash.digest('hex').slice(0, HASH_CHARACTERS)
}

export const copiedPaths = (dockerfile: string): string[] => {
  const copies = dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)
  return [...new Set(copies.flatMap(([, args = '']) => args.trim().split(/\s+/).slice(0, -1)))]
}
