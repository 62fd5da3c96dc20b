import type { Progress } from '../progress.ts'
import { openAccess } from './access.ts'
import { trials, withFullCanary } from './full.ts'
import { healthy } from './health.ts'
import { importOnce, smallSource } from './import.ts'
import type { Sizes } from './sizes.ts'
import type { FullCanary } from './trial.ts'

export interface Deployed extends Pick<FullCanary, 'env' | 'secretsFile' | 'api' | 'target' | 'prepareDeploy'> {
  /** null: the address of the Worker cannot be known. */
  baseUrl: string | null
}

/** How many steps of a progress a canary has. `sizes`: of a full one. */
export const canarySteps = (sizes: Sizes | null): number => 2 + (sizes ? trials.length : 0)

/** Tries a deployment. Throws with what does not work, and says what could not be tried. */
export const tryDeployment = async (deployed: Deployed, sizes: Sizes | null, { step }: Progress): Promise<void> => {
  const access = await step(
    'canary: /health and a key',
    () => reach(deployed),
    (found) => (typeof found === 'string' ? found : 'responds'),
  )
  if (typeof access === 'string') return
  try {
    await step(
      'canary: an import',
      () => importOnce(access, smallSource(access.baseUrl, deployed.env)),
      (said) => said,
    )
    if (!sizes) return
    await withFullCanary({ ...deployed, ...access, sizes }, async (canary) => {
      for (const { title, run } of trials)
        await step(
          title,
          () => run(canary),
          (said) => said,
        )
    })
  } finally {
    await access.close()
  }
}

/** A sentence: why no job can be started. */
const reach = async ({ baseUrl, env, secretsFile }: Deployed) => {
  if (!baseUrl) return 'NOT TESTED: set PUBLIC_URL, because the address of the Worker cannot be known from here'
  await healthy(baseUrl)
  const access = await openAccess(baseUrl, env, secretsFile)
  return access ?? 'only /health responds. NOT TESTED: an import, which needs CANARY_API_KEY or ADMIN_TOKEN'
}
