import type { TranscriptionJob } from '../../domain/jobs/job.ts'
import { findCredential } from '../directory.ts'
import { configOf, sealerOf } from '../env.ts'
import { builtinOf, isThirdParty, keyRecord, providerAt } from '../speech/configured-providers.ts'
import type { SpeechProvider } from '../speech/providers/provider.ts'
import type { PieceRecognizer } from '../speech/recognize-slice.ts'
import type { WorkersAi } from '../speech/workers-ai.ts'
import type { Lease } from './lease-token.ts'

/** A speech recognizer that the Worker calls. A provider's key stays in the closure. */
export interface WorkerRecognizer {
  pieces: PieceRecognizer
  /** Deletes what the provider stores of a job. Tried once: it is in the caller's own account there. */
  forget(providerJobId: string): Promise<unknown>
}

/** null: the caller removed the stored key. */
export const recognizerOf = async (env: Env, job: TranscriptionJob, lease: Lease): Promise<WorkerRecognizer | null> => {
  const config = configOf(env)
  const { provider } = job.request
  if (isThirdParty(provider)) {
    const service = providerAt(config, provider)
    const apiKey = await keyFor(env, service, lease)
    return apiKey === null ? null : withKey(service, apiKey, job)
  }
  const builtin = builtinOf(env, config, job.request)
  if (!builtin) throw new Error('the container recognizes speech itself')
  return onWorkersAi(builtin)
}

export const isRecognizedInWorker = (env: Env, { step, request }: TranscriptionJob): boolean =>
  step === 'recognize' && (isThirdParty(request.provider) || builtinOf(env, configOf(env), request) !== null)

/** The key of the request, else the one that is stored now. */
const keyFor = async (env: Env, service: SpeechProvider, lease: Lease): Promise<string | null> => {
  const { accountId } = lease
  const record = keyRecord(service)
  const sealed =
    (await env.ACCOUNTS.getByName(accountId).sealedKey(lease)) ??
    (await findCredential(env.DB, accountId, record))?.sealed
  return sealed ? (await sealerOf(env)).unseal(sealed, { accountId, record }) : null
}

const FORGET_TIMEOUT_MS = 10_000

const withKey = (service: SpeechProvider, apiKey: string, { request }: TranscriptionJob): WorkerRecognizer => {
  const options = JSON.parse(request.providerOptions ?? '{}') as Record<string, unknown>
  return {
    pieces: {
      parallel: 2,
      knownSpeakers: service.knownSpeakers(options),
      takesVocabulary: request.vocabulary !== undefined && service.takesVocabulary(request.vocabulary, options),
      start: (piece) => service.start({ ...piece, options, apiKey }),
      poll: (providerJobId, signal) => service.poll({ providerJobId, apiKey, signal }),
    },
    forget: (providerJobId) =>
      service.deleteJob({ providerJobId, apiKey, signal: AbortSignal.timeout(FORGET_TIMEOUT_MS) }),
  }
}

const onWorkersAi = (builtin: WorkersAi): WorkerRecognizer => ({
  pieces: {
    // A piece is read into memory before it is sent, so each needs one connection at a time.
    parallel: 5,
    knownSpeakers: [],
    takesVocabulary: true,
    start: builtin.start,
    poll: async () => {
      throw new Error('Workers AI responds at once: there is nothing to poll')
    },
  },
  forget: async () => {},
})
