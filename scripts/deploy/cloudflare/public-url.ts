import type { Target } from '../target.ts'
import type { CloudflareApi } from './api.ts'

/** Where callers reach the Worker, without a slash at the end. null: it cannot be known from here. */
export const publicUrl = async (api: CloudflareApi, target: Target, env: NodeJS.ProcessEnv): Promise<string | null> => {
  const set = env.PUBLIC_URL || target.vars.PUBLIC_URL
  if (set) return set.replace(/\/$/, '')
  if (target.customDomain) return `https://${target.customDomain}`
  if (!target.hasWorkersDev) return null
  const found = await api.get<{ subdomain: string }>('/workers/subdomain')
  return found ? `https://${target.worker}.${found.subdomain}.workers.dev` : null
}
