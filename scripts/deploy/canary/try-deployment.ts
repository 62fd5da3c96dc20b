import { healthy, importOnce, ownFile } from './canary.ts'
import { canaryKey } from './canary-key.ts'

/** Returns what was tried, and throws with what does not work. */
export const tryDeployment = async (
  baseUrl: string | null,
  env: NodeJS.ProcessEnv,
  secretsFile: Record<string, string> | null,
): Promise<string> => {
  if (!baseUrl) return 'NOT TESTED: set PUBLIC_URL, because the address of the Worker cannot be known from here'
  await healthy(baseUrl)
  const adminToken = env.ADMIN_TOKEN || secretsFile?.ADMIN_TOKEN
  const key = await canaryKey(baseUrl, { apiKey: env.CANARY_API_KEY, adminToken })
  if (!key) return 'only /health responds. NOT TESTED: an import, which needs CANARY_API_KEY or ADMIN_TOKEN'
  try {
    const sourceUrl = env.CANARY_URL || ownFile(baseUrl)
    const { sizeBytes } = await importOnce({ baseUrl, apiKey: key.apiKey, sourceUrl })
    return `imported ${sourceUrl}, ${sizeBytes} bytes that are the same`
  } finally {
    await key.revoke()
  }
}
