import { findCredential } from '../directory.ts'
import type { TranscriptionJob } from '../domain/jobs/job.ts'
import type { Lease } from '../engine/leases.ts'
import { configOf, sealerOf } from '../env.ts'
import type { SpeechProvider } from '../speech/providers/provider.ts'
import type { Engine } from '../speech/recognize.ts'
import type { WorkersAi } from '../speech/workers-ai.ts'
import { builtinOf, isThirdParty, keyRecord, providerAt } from './providers.ts'

/** An engine that is called from here, with its key where it needs one. The key lives in this closure alone. */
export interface Recognizer {
  engine: Engine
  /** Removes what the provider keeps of a job of ours. Tried once: it lies in the caller's own account. */
  forget(providerJobId: string): Promise<unknown>
}

/** null: the key is gone. */
export const recognizerOf = async (env: Env, job: TranscriptionJob, lease: Lease): Promise<Recognizer | null> => {
  const config = configOf(env)
  const { provider } = job.request
  if (isThirdParty(provider)) {
    const service = providerAt(config, provider)
    const apiKey = await keyFor(env, service, lease)
    return apiKey === null ? null : withKey(service, apiKey, job)
  }
  const builtin = builtinOf(env, config)
  if (!builtin) throw new Error('the container recognizes by itself')
  return onWorkersAi(builtin)
}

/** Whether the step runs in the Worker, and not by an order to the container. */
export const isRecognizedHere = (env: Env, { step, request }: TranscriptionJob): boolean =>
  step === 'recognize' && (isThirdParty(request.provider) || builtinOf(env, configOf(env)) !== null)

/** The key that came with the job, else the one that is stored now. */
const keyFor = async (env: Env, service: SpeechProvider, lease: Lease): Promise<string | null> => {
  const { accountId } = lease
  const record = keyRecord(service)
  const sealed =
    (await env.ACCOUNTS.getByName(accountId).sealedKey(lease)) ??
    (await findCredential(env.DB, accountId, record))?.sealed
  return sealed ? (await sealerOf(env)).unseal(sealed, { accountId, record }) : null
}

const FORGET_TIMEOUT_MS = 10_000

const withKey = (service: SpeechProvider, apiKey: string, { request }: TranscriptionJob): Recognizer => {
  const options = JSON.parse(request.providerOptions ?? '{}') as Record<string, unknown>
  return {
    engine: {
      parallel: 2,
      start: (piece) => service.start({ ...piece, options, apiKey }),
      poll: (providerJobId, signal) => service.poll({ providerJobId, apiKey, signal }),
    },
    forget: (providerJobId) =>
      service.forget({ providerJobId, apiKey, signal: AbortSignal.timeout(FORGET_TIMEOUT_MS) }),
  }
}

const onWorkersAi = (builtin: WorkersAi): Recognizer => ({
  engine: {
    // A piece is read before it is sent, so that it needs one connection at a time.
    parallel: 5,
    start: builtin.start,
    poll: async () => {
      throw new Error('Workers AI answers at once: there is nothing to poll')
    },
  },
  forget: async () => {},
})
