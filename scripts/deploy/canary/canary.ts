import { defaultPrices, downloadCost } from '../../../domain/money/prices.ts'
import type { Progress } from '../progress.ts'
import { type Access, openAccess } from './access.ts'
import { healthy } from './health.ts'
import { importLargeFile } from './large-file.ts'
import { importSmallFile, transcribeSmallFile } from './small-file.ts'

export interface Deployed {
  /** null: the address of the Worker cannot be known. */
  baseUrl: string | null
  env: NodeJS.ProcessEnv
  secretsFile: Record<string, string> | null
}

export const canarySteps = (largeBytes: number | null): number => (largeBytes ? 4 : 2)

/** Tries an import, and with `largeBytes` a transcription and a large file. Throws an error with what does not work. */
export const tryDeployment = async (
  deployed: Deployed,
  largeBytes: number | null,
  { step }: Progress,
): Promise<void> => {
  const access = await step(
    'canary: /health and a key',
    () => reach(deployed),
    (found) => (typeof found === 'string' ? found : 'responds'),
  )
  if (typeof access === 'string') return
  // Part of the console, so that every deployment has it.
  const source = deployed.env.CANARY_URL || `${access.baseUrl}/assets/canary.mp3`
  try {
    await step('canary: an import', () => importSmallFile(access, source))
    if (!largeBytes) return
    await step('canary: a transcription', () => transcribeSmallFile(access, source))
    await giveCredit(access, largeBytes)
    await step('canary: a large file in parts', () => importLargeFile(access, largeBytes, secretOf(deployed)))
  } finally {
    await access.close()
  }
}

const reach = async (deployed: Deployed): Promise<Access | string> => {
  const { baseUrl } = deployed
  if (!baseUrl) return 'NOT TESTED: set PUBLIC_URL, because the address of the Worker cannot be known from here'
  await healthy(baseUrl)
  const access = await openAccess(baseUrl, secretOf(deployed))
  return access ?? 'only /health responds. NOT TESTED: an import, which needs CANARY_API_KEY or ADMIN_TOKEN'
}

const secretOf =
  ({ env, secretsFile }: Deployed) =>
  (name: string): string | undefined =>
    env[name] || secretsFile?.[name]

/** The owner of another account has to give it what the large file costs. */
const giveCredit = async ({ operator, accountId }: Access, largeBytes: number): Promise<void> => {
  if (!operator || !accountId) return
  const amountDollars = Math.ceil(downloadCost(defaultPrices, largeBytes) / 1_000_000)
  const body = { amountDollars, reference: `canary ${new Date().toISOString()}` }
  await operator.request('POST', `/admin/accounts/${accountId}/credits`, { body })
}
