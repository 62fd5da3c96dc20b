import type { ImportRequest, TranscribeRequest, TranscriptResult } from '../../../domain/jobs/job.ts'
import type { Part } from '../../../domain/jobs/parts.ts'
import type { Transcript } from '../../../domain/jobs/transcript.ts'
import { mediaKeys, wordsKey } from '../../../domain/media/media-keys.ts'
import { defaultPrices, type Prices, speechCost } from '../../../domain/money/prices.ts'
import { factsOf, tracksOf } from '../actors/sources.ts'
import { sizeOf } from '../platform/http-message.ts'
import { eachAccount, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

/** A job that makes several files. */
interface JobRow extends Row {
  id: string
  kind: string
  state: string
  step: string | null
  lease_number: number
  request: string
  carry: string | null
  parts: string | null
  result: string | null
  failure: string | null
  prices: string | null
  completed_at: number | null
}

const COLUMNS = 'id, kind, state, step, lease_number, request, carry, parts, result, failure, prices, completed_at'
const MAKES_FILES = `(request ->> 'captions' IS NOT NULL OR request ->> 'transcribe' IS NOT NULL
  OR request ->> 'files' IS NOT NULL OR request ->> 'formats' IS NOT NULL OR request ->> 'storage' IS NOT NULL)`

interface Audio {
  pieces: { key: string }[]
  turns?: { key: string }
}

type Carry = Partial<Audio> & {
  stored?: { attempt: number; secret: string; hasThumbnail: boolean }
  audio?: Audio
}

/** A job that has made something, as it was last seen before its end. */
interface Known {
  version: string
  step: string | null
  media: Set<string>
  words: Set<string>
  /** Of audio, for the recognition. */
  pieces: Set<string>
}

const partsIn = ({ parts }: JobRow): Part[] => JSON.parse(parts ?? '[]')
const requestIn = ({ request }: JobRow): ImportRequest | TranscribeRequest => JSON.parse(request)
const resultIn = ({ result }: JobRow) => JSON.parse(result ?? '{}') as Partial<TranscriptResult>
const pricesIn = ({ prices }: JobRow): Prices => (prices === null ? defaultPrices : JSON.parse(prices))

const wordsIn = (parts: Part[]): Transcript[] =>
  parts.flatMap((part) => ('words' in part && part.words ? [part.words] : []))

/** The media decides; each part is made once, from the one download, and is paid for only if it is there. */
export const words = (): Invariants => {
  const known = new Map<string, Known>()
  return {
    atCommit: (seen, _, sql) => {
      const isMade = `completed_at IS NULL AND (carry IS NOT NULL OR parts IS NOT NULL) AND ${MAKES_FILES}`
      const query = `SELECT ${COLUMNS} FROM jobs WHERE ${isMade}`
      for (const job of sql.exec<JobRow>(query).toArray()) note(seen, job, known)
    },
    atRest: (seen) => {
      const fetches = refetched(seen)
      eachAccount(seen, ({ outOfTime }, sql) => {
        for (const job of jobsIn(sql)) {
          const before = known.get(job.id)
          if (job.state === 'completed') {
            checkParts(seen, job)
            checkCosts(seen, job)
            checkTold(seen, job, sql)
            checkTime(seen, job, outOfTime.get(job.id))
          } else if (before && job.kind === 'import') checkFailure(seen, job, before)
          if (before) checkStored(seen, job, before)
          if (fetches.has(job.id)) seen.broken('an origin is read once', job.id, `${fetches.get(job.id)}`)
        }
      })
    },
    // Words live longer than media.
    atEnd: (seen) =>
      eachAccount(seen, (_, sql) => {
        for (const job of jobsIn(sql)) expectWords(seen, job)
      }),
  }
}

const jobsIn = (sql: Sql): JobRow[] => sql.exec<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE ${MAKES_FILES}`).toArray()

const note = (seen: Seen, job: JobRow, known: Map<string, Known>): void => {
  const { id, step, carry } = job
  const version = `${step} ${job.lease_number} ${job.parts?.length}`
  const last = known.get(id) ?? { media: new Set(), words: new Set(), pieces: new Set() }
  if ('version' in last && last.version === version) return
  const { stored, audio, pieces = audio?.pieces ?? [], turns = audio?.turns } = JSON.parse(carry ?? '{}') as Carry
  for (const key of stored ? mediaKeys(id, stored) : []) last.media.add(key)
  for (const each of wordsIn(partsIn(job))) last.words.add(wordsKey(id, each))
  for (const { key } of turns ? [...pieces, turns] : pieces) last.pieces.add(key)
  known.set(id, { ...last, version, step })
  if (step === 'deliver') checkParts(seen, job)
}

const nameOf = ({ kind, language }: Pick<Part, 'kind' | 'language'>): string =>
  kind === 'captions' && language ? `${kind} ${language}` : kind

/** One for each thing that was asked for, and what the source has decides what became of captions. */
const checkParts = (seen: Seen, job: JobRow): void => {
  const { url, captions = [], ...request } = requestIn(job)
  const transcribe = 'provider' in request ? request : request.transcribe
  const files = 'files' in request ? (request.files ?? []) : []
  // What an upload or an earlier import is, is not seen here.
  const facts = url === null ? null : factsOf(url)
  const tracks = facts ? tracksOf(facts) : []
  const asked = captions === 'all' ? tracks.map(({ language }) => language) : captions
  const expected = [
    ...asked.map((language) => nameOf({ kind: 'captions', language })),
    // A source that lists none.
    ...(captions === 'all' && asked.length === 0 ? ['captions'] : []),
    ...(transcribe ? ['transcript'] : []),
    ...files,
  ]
  const parts = partsIn(job)
  const made = parts.map(nameOf)
  if (made.toSorted().join() !== expected.toSorted().join())
    seen.broken('each part is made once', job.id, `${made} instead of ${expected}`)
  for (const part of parts) {
    if (part.state === 'failed' && part.failure.code === 'CANCELED')
      seen.broken('what is canceled does not go on', job.id, nameOf(part))
    const listed = tracks.find(({ language }) => language === part.language)
    if (part.kind !== 'captions' || hasNoMoney(part)) continue
    const became = part.state === 'completed' ? null : part.state === 'skipped' ? part.code : part.failure.code
    const code = listed ? listed.code : 'NOT_AT_SOURCE'
    if (became !== code) seen.broken('captions are what the source has', job.id, `${part.language}: ${became}`)
  }
  const canBeHeard = facts === null || (facts.hasAudio && !facts.isSilent && transcribe?.provider)
  const canBeRead = tracks.some(({ code }) => code === null)
  const transcript = parts.find(({ kind }) => kind === 'transcript')
  if (transcript?.state === 'completed' && !canBeHeard && !canBeRead)
    seen.broken('a transcript has a source', job.id, JSON.stringify(transcript))
}

const noMoney = ['MAX_COST_EXCEEDED', 'INSUFFICIENT_BALANCE', 'KEY_BUDGET_EXCEEDED']

const hasNoMoney = (part: Part): boolean => part.state === 'failed' && noMoney.includes(part.failure.code)

const isOfCaptions = ({ kind, origin }: Part, { source }: Partial<TranscriptResult>): boolean =>
  kind === 'captions' || origin !== undefined || source === 'platform_captions'

/** Captions are paid for once, speech by its minutes, and what is not there costs nothing. */
const checkCosts = (seen: Seen, job: JobRow): void => {
  const prices = pricesIn(job)
  const parts = partsIn(job)
  const result = resultIn(job)
  const costOf = (part: Part): number => ('costMicros' in part ? part.costMicros : 0)
  for (const part of parts) {
    if (part.state !== 'completed' && ('costMicros' in part || 'words' in part))
      seen.broken('what is not there costs nothing', job.id, JSON.stringify(part))
  }
  const captions = parts.filter((part) => part.state === 'completed' && isOfCaptions(part, result))
  const paid = captions.map(costOf).filter((cost) => cost > 0)
  const price = captions.length > 0 && prices.captions > 0 ? [prices.captions] : []
  if (paid.join() !== price.join()) seen.broken('captions are paid for once', job.id, `${paid} instead of ${price}`)
  for (const part of parts) {
    if (part.state !== 'completed' || isOfCaptions(part, result)) continue
    if (part.kind !== 'transcript') {
      if (costOf(part) > 0) seen.broken('other files are free', job.id, JSON.stringify(part))
      continue
    }
    const request = requestIn(job)
    const { provider } = 'provider' in request ? request : (request.transcribe ?? { provider: null })
    const download = result.downloadCostMicros ?? 0
    const cost = part.words && speechCost(prices, provider, part.words.durationSeconds) + download
    if (cost !== undefined && cost !== part.costMicros)
      seen.broken('speech costs its minutes', job.id, `${part.costMicros} instead of ${cost}`)
  }
}

/** One event, one webhook, and the webhook has all that was made. */
const checkTold = ({ receiver, broken }: Seen, job: JobRow, sql: Sql): void => {
  const { events } = sql
    .exec<{ events: number }>(
      "SELECT count(*) AS events FROM events WHERE subject_id = ? AND type <> 'job.started'",
      job.id,
    )
    .one()
  if (events !== 1) broken('the end of a job is one event', job.id, `${events}`)
  const deliveries = sql.exec<{ id: string }>('SELECT id FROM deliveries WHERE job_id = ?', job.id).toArray()
  if (deliveries.length > 1) broken('the end of a job is told once', job.id, `${deliveries.length} deliveries`)
  for (const { id } of deliveries) {
    for (const body of receiver.bodies.get(id) ?? []) {
      const { data } = JSON.parse(body) as { data: { result?: { files?: Pick<Part, 'kind' | 'language'>[] } } }
      const told = new Set((data.result?.files ?? []).map(nameOf))
      const made = new Set([...(job.kind === 'import' ? ['media'] : []), ...partsIn(job).map(nameOf)])
      if (told.symmetricDifference(made).size > 0)
        broken('a webhook tells of all parts', job.id, `${[...told]} instead of ${[...made]}`)
    }
  }
}

/** A lease that is lost ends a minute later. Then speech has no more time. */
const MOST_LATE_MS = 80_000

const checkTime = ({ neverFail, broken }: Seen, job: JobRow, overAt: number | undefined): void => {
  if (overAt === undefined || !neverFail('alarm late', 'alarm dropped', 'clock wrong')) return
  const transcript = partsIn(job).find(({ kind }) => kind === 'transcript')
  if (transcript?.state === 'completed' && (job.completed_at ?? 0) - overAt > MOST_LATE_MS)
    broken('speech ends with its time', job.id, `${(job.completed_at ?? 0) - overAt} ms later`)
}

/** Only its caller, or the copy into the bucket, ends an import whose media is stored. */
const checkFailure = ({ neverFail, broken }: Seen, job: JobRow, { step }: Known): void => {
  const { code } = JSON.parse(job.failure ?? '{}') as { code?: string }
  const isLate = code === 'TIMED_OUT' && !neverFail('alarm dropped')
  const isOfCopy = step === 'deliver' && (code === 'STORAGE_FAILED' || code === 'INTERNAL' || isLate)
  if (code !== 'CANCELED' && !isOfCopy)
    broken('an import whose media is stored completes', job.id, `${code} in ${step}`)
}

const checkStored = (seen: Seen, job: JobRow, { media, words, pieces }: Known): void => {
  const left = (keys: Set<string>) => [...keys].filter((key) => seen.world.bucket.get(key)).join(' ')
  if (left(pieces)) seen.broken('audio is removed with the end of its job', job.id, left(pieces))
  if (job.state === 'failed' && (left(media) || left(words)))
    seen.broken('a job that fails leaves nothing in storage', job.id, `${left(media)} ${left(words)}`)
  const named = new Set(wordsIn(partsIn(job)).map((each) => wordsKey(job.id, each)))
  if (job.state === 'completed' && left(words.difference(named)))
    seen.broken('words are removed with what names them', job.id, left(words.difference(named)))
  if (job.state === 'completed') expectWords(seen, job)
}

/** They are in storage as long as a part names them. */
const expectWords = ({ world, broken }: Seen, job: JobRow): void => {
  if (job.state !== 'completed') return
  for (const each of wordsIn(partsIn(job))) {
    const stored = world.bucket.get(wordsKey(job.id, each))
    const endsAt = each.range ? each.range.offset + each.range.length : 1
    if (!stored || sizeOf(stored.body) < endsAt) broken('words are in storage', job.id, wordsKey(job.id, each))
  }
}

/** Imports whose origin was read again, or for their speech. */
const refetched = ({ runs }: Seen): Map<string, string> => {
  const inSpeech = new Set<string>()
  const found = new Map<string, string>()
  for (const { jobId, step, isLeased, downloadedBytes, attempt } of runs) {
    if (!jobId.startsWith('imp_')) continue
    if (step !== 'fetch') inSpeech.add(jobId)
    const isAgain = step === 'fetch' && isLeased && inSpeech.has(jobId)
    if (isAgain || (step !== 'fetch' && downloadedBytes > 0)) found.set(jobId, `${step} ${attempt}`)
  }
  return found
}
