import type { Target } from '../target.ts'
import type { CloudflareApi } from './api.ts'

/** A version of the Worker that a deployment gave all requests to. */
export interface DeployedVersion {
  versionId: string
  at: string
}

export interface Version {
  id: string
  metadata: { created_on: string }
  annotations?: Record<string, string>
}

/** Newest first. Empty: the Worker was never deployed. */
export const deployedVersions = async (api: CloudflareApi, worker: string): Promise<DeployedVersion[]> => {
  type Deployment = { created_on: string; versions: { version_id: string; percentage: number }[] }
  const result = await api.get<{ deployments: Deployment[] }>(`/workers/scripts/${worker}/deployments`)
  return (result?.deployments ?? [])
    .flatMap(({ created_on, versions }) => {
      const whole = versions.find(({ percentage }) => percentage === 100)
      return whole ? [{ versionId: whole.version_id, at: created_on }] : []
    })
    .sort((a, b) => b.at.localeCompare(a.at))
}

/** After a rollback from B to A this is the version before A, so that a second rollback does not return to B. */
export const versionBefore = (deployed: DeployedVersion[]): string | null => {
  const current = deployed[0]?.versionId
  const first = deployed.findLastIndex(({ versionId }) => versionId === current)
  return deployed.slice(first + 1)[0]?.versionId ?? null
}

export const versionDetails = (api: CloudflareApi, worker: string, versionId: string): Promise<Version | null> =>
  api.get(`/workers/scripts/${worker}/versions/${versionId}`)

const IMAGE = /^image (\S+)$/

/** The message has only the image's name and tag, because Cloudflare shortens messages to 100 bytes. */
export const messageWithImage = (reference: string): string => `image ${reference.split('/').at(-1)}`

export const imageOf = ({ annotations }: Version): string | null =>
  IMAGE.exec(annotations?.['workers/message'] ?? '')?.[1] ?? null

/** The URL at which callers reach the Worker, without a slash at the end. null: it cannot be known from here. */
export const publicUrl = async (api: CloudflareApi, target: Target, env: NodeJS.ProcessEnv): Promise<string | null> => {
  const set = env.PUBLIC_URL || target.vars.PUBLIC_URL
  if (set) return set.replace(/\/$/, '')
  if (target.customDomain) return `https://${target.customDomain}`
  if (!target.hasWorkersDev) return null
  const found = await api.get<{ subdomain: string }>('/workers/subdomain')
  return found ? `https://${target.worker}.${found.subdomain}.workers.dev` : null
}
