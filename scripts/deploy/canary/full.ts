import { Haul } from '../../../client/src/index.ts'
import { defaultPrices, downloadCost } from '../../../domain/money/prices.ts'
import type { FullCanary, Trial } from './trial.ts'
import { readBill } from './trials/bill.ts'
import { compression } from './trials/compression.ts'
import { firstContainer, manyContainers } from './trials/containers.ts'
import { copySource } from './trials/copy-source.ts'
import { deployWhileStepsRun } from './trials/deploy.ts'
import { largeFile } from './trials/large-file.ts'
import { manyTranscriptions } from './trials/transcriptions.ts'

export const trials: Trial[] = [
  firstContainer,
  manyContainers,
  largeFile,
  deployWhileStepsRun,
  manyTranscriptions,
  compression,
  copySource,
  readBill,
]

type Given = Omit<FullCanary, 'haul' | 'large' | 'cleanUps'>

/** The canary of a deployment, with the limits and the credit that the trials need. */
export const withFullCanary = async (given: Given, use: (canary: FullCanary) => Promise<void>): Promise<void> => {
  const { baseUrl, apiKey } = given
  const haul = new Haul({ baseUrl, apiKey, maxRetries: 0, maxBusyMs: 0 })
  const canary: FullCanary = { ...given, haul, large: null, cleanUps: [] }
  await allowTrials(canary)
  try {
    await use(canary)
  } finally {
    for (const cleanUp of canary.cleanUps.reverse()) {
      await cleanUp().catch((error: Error) => console.warn(`    left behind: ${error.message}`))
    }
  }
}

/** Besides the downloads. */
const MORE_DOLLARS = 50

const allowTrials = async ({ operator, accountId, sizes }: FullCanary): Promise<void> => {
  // The owner of another account has to give it what the trials need.
  if (!operator || !accountId) return
  const limits = {
    concurrentJobs: { import: sizes.imports + 1, transcription: sizes.transcriptions },
    requestsPerHour: { import: 1_000, transcribe: 1_000, status: 1_000_000, general: 1_000_000 },
  }
  await operator.request('PATCH', `/admin/accounts/${accountId}`, { body: { limits } })
  const dollars = ((sizes.imports + 1) * downloadCost(defaultPrices, sizes.largeBytes)) / 1_000_000
  const body = { amountDollars: Math.ceil(dollars) + MORE_DOLLARS, reference: `canary ${new Date().toISOString()}` }
  await operator.request('POST', `/admin/accounts/${accountId}/credits`, { body })
}
