import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { newId } from '../../../domain/ids.ts'
import type { FetchedImport, ImportRequest, TranscribeRequest } from '../../../domain/jobs/job.ts'
import { extensionOf } from '../../../domain/jobs/job-files.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import { type Micros, micros } from '../../../domain/money/money.ts'
import type { MediaFacts } from '../../../domain/protocol/protocol.ts'
import { leasedAct } from '../../../worker/account/acts.ts'
import type {
  Admission,
  BatchAdmission,
  FetchedFile,
  JobLease,
  RequestIdentity,
} from '../../../worker/account/calls.ts'
import { advanceJob, type NextStep } from '../../../worker/account/jobs/endings.ts'
import { addAccount } from '../../../worker/directory.ts'
import type { AccountObject } from '../../../worker/index.ts'

export type Account = ReturnType<typeof env.ACCOUNTS.getByName>

/** A new account for each test, called over RPC like in production. */
export const newAccount = async (credit: Micros = micros(10_000_000)) => {
  const accountId = newId('account', Date.now())
  const account = env.ACCOUNTS.getByName(accountId)
  const keyHash = 'a'.repeat(64)
  const key = { id: newId('key', Date.now()), hash: keyHash }
  await addAccount(env.DB, { id: accountId, name: 'test', createdAt: Date.now(), key, credit })
  return {
    accountId,
    account,
    identity: { keyHash, rateClass: 'import', endpoint: '/import', needs: [] } as RequestIdentity & {
      rateClass: 'import'
    },
  }
}

export const importRequest = (changes: Partial<ImportRequest> = {}): ImportRequest => ({
  url: 'https://media.example/film.mp4',
  clip: null,
  audioFormat: 'source',
  includeVideo: true,
  includeAudio: true,
  videoQuality: '1080p',
  audioQuality: 'best',
  webhookUrl: null,
  store: false,
  storagePath: null,
  storageFilename: null,
  storageBucket: null,
  storageClass: null,
  storageReturnLocation: true,
  ...changes,
})

export const transcribeRequest = (changes: Partial<TranscribeRequest> = {}): TranscribeRequest => ({
  url: 'https://media.example/film.mp4',
  importId: null,
  uploadId: null,
  clip: null,
  words: false,
  speakers: null,
  language: null,
  provider: null,
  captionsFirst: false,
  providerOptions: null,
  maxCostMicros: null,
  webhookUrl: null,
  ...changes,
})

/** `hold`: what the announced download costs. */
export const admission = (hold: Micros, changes: Partial<Admission> = {}): Admission => ({
  kind: 'import',
  request: importRequest(),
  announcedBytes: hold * 100,
  origin: null,
  diskBytes: null,
  idempotency: null,
  reuseKey: 'a key',
  ...changes,
})

const film = {
  title: 'film',
  durationSeconds: 6,
  contentType: 'video/mp4',
  sha256: '0'.repeat(64),
  width: 640,
  height: 360,
  videoCodec: 'h264',
  audioCodec: 'aac',
  note: null,
}

/** As the container reports a download. */
export const mediaFacts = (bytes: number, changes: Partial<MediaFacts> = {}): MediaFacts => ({
  ...film,
  extension: 'mp4',
  downloadedBytes: bytes,
  sizeBytes: bytes,
  ...changes,
})

export const fetchedImport = (downloadedBytes: number, attempt = 1): FetchedImport => ({
  ...film,
  filename: 'film.mp4',
  fileSizeBytes: downloadedBytes,
  downloadedBytes,
  billedBytes: downloadedBytes,
  stored: { attempt, secret: 'secret', hasThumbnail: false },
})

/** In dollars, as responses have them, where no operator has set others. */
export const usualPrices = {
  downloadPerMegabyte: 0.01,
  captions: 0.01,
  builtinPerMinute: 0.02,
  providerPerMinute: 0.01,
  speechMinimum: 0.03,
}

/** What the account has answered. */
export const answerOf = <T>({
  result,
}: {
  result: { ok: true; value: T } | { ok: false; refusal: { code: string } }
}): T => {
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value
}

/** Of an account, over RPC or of the object itself. */
interface Steps {
  claim(jobId: string, step: Step): Promise<{ lease: string } | null>
  finishFetch(lease: JobLease, fetched: FetchedFile): Promise<unknown>
}

/** Moves a job on to its next step, as the end of a step does. */
export const advanced = (account: DurableObjectStub<AccountObject>, lease: JobLease, next: NextStep) =>
  runInDurableObject(account, ({ state }) => leasedAct(false, advanceJob)(state, lease, next))

/** Claims a step like the queue. Returns what reports of the container are made under. */
export const leased = async (account: Pick<Steps, 'claim'>, jobId: string, step: Step = 'fetch') => {
  const claimed = await account.claim(jobId, step)
  if (!claimed) throw new Error(`${jobId} cannot be claimed`)
  return { jobId, lease: claimed.lease }
}

/** Claims and completes an import, like the queue and the container. */
export const finishImport = async (
  account: Steps,
  jobId: string,
  downloadedBytes: number,
  changes: Partial<FetchedImport> = {},
): Promise<void> => {
  const lease = await leased(account, jobId)
  await account.finishFetch(lease, fetchedFile({ ...fetchedImport(downloadedBytes), ...changes }))
}

/** What the container reports of such media. */
export const fetchedFile = (media: FetchedImport): FetchedFile => {
  const { filename, fileSizeBytes: sizeBytes, billedBytes: _, stored, readBy, about, chapters, ...facts } = media
  return { facts: { ...facts, extension: extensionOf(filename), sizeBytes }, stored, readBy, about, chapters }
}

/** `count` imports of different files. */
export const batchAdmission = (count: number, changes: Partial<BatchAdmission> = {}): BatchAdmission => {
  const { url: _, ...request } = importRequest()
  return {
    source: { kind: 'urls', urls: Array.from({ length: count }, (_, index) => `https://media.example/${index}.mp4`) },
    item: { kind: 'import', request },
    reuseWithinSeconds: 0,
    maxCostMicros: null,
    webhookUrl: null,
    origin: null,
    idempotency: null,
    ...changes,
  }
}
