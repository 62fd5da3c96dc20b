import { healthy } from './canary/health.ts'
import type { CloudflareApi } from './cloudflare/api.ts'
import { findApplication, imageReference, latestImage, rollOutImage } from './cloudflare/container-application.ts'
import {
  deployedVersions,
  imageOf,
  publicUrl,
  type Version,
  versionBefore,
  versionDetails,
} from './cloudflare/versions.ts'
import type { Target } from './target.ts'

export interface RollbackContext {
  api: CloudflareApi
  target: Target
  env: NodeJS.ProcessEnv
  print: (line: string) => void
}

/** Makes an earlier version current again, with the image that was deployed with it. Stored data does not change. */
export const rollBack = async ({ api, target, env, print }: RollbackContext, to: string | null): Promise<void> => {
  const deployed = await deployedVersions(api, target.worker)
  const [current] = deployed
  if (!current) throw new Error(`The Worker ${target.worker} was never deployed.`)
  const versionId = to ?? versionBefore(deployed)
  if (!versionId)
    throw new Error(`There is no version of ${target.worker} before ${current.versionId}. Name one with --to.`)
  const [from, version] = await Promise.all([current.versionId, versionId].map((id) => detailsOf(api, target, id)))
  print(`From ${describe(from)}`)
  print(`To   ${describe(version)}`)
  if (current.versionId !== versionId) {
    const args = ['rollback', versionId, '--yes', '--message', `Rollback from ${current.versionId}`]
    await api.wrangler([...args, '--config', target.configPath, ...target.envArgs])
  }
  const image = await rollBackImage(api, target, version).catch((error) => {
    throw new Error(`The Worker is back, and its containers are not: ${error.message} Run the same command again.`)
  })
  print(image)
  const url = await publicUrl(api, target, env)
  if (url) await healthy(url)
  print(url ? `${url}/health responds.` : 'NOT TESTED: set PUBLIC_URL, because the address cannot be known from here.')
  print('Not undone: database migrations, which only add; queues and rules of the bucket; stored data.')
  print('The secrets are those of this version, as they were.')
}

const detailsOf = async (api: CloudflareApi, { worker }: Target, versionId: string): Promise<Version> => {
  const version = await versionDetails(api, worker, versionId)
  if (!version) throw new Error(`The Worker ${worker} has no version ${versionId}.`)
  return version
}

const describe = (version: Version | undefined): string =>
  version ? `${version.id}, uploaded ${version.metadata.created_on}, ${imageOf(version) ?? 'unknown image'}` : ''

const rollBackImage = async (api: CloudflareApi, target: Target, version: Version | undefined): Promise<string> => {
  const name = version ? imageOf(version) : null
  const application = await findApplication(api, target.container.name)
  if (!name || !application) return 'The containers keep their image, because the version does not name one.'
  const image = imageReference(api, name)
  if (latestImage(application) === image) return 'The containers have the image of this version already.'
  await rollOutImage(api, application, image)
  return `The containers are replaced by ${image}. Running ones complete their steps, for up to 14 minutes.`
}
