import { defaultLimits, limitsOf } from '../../../domain/account/account-limits.ts'
import { JOB_DEADLINE_MS, MAX_ATTEMPTS } from '../../../domain/limits.ts'
import { eachAccount, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

interface JobRow extends Row {
  id: string
  kind: string
  state: string
  step: string | null
  attempts: number
  lease: string | null
  lease_number: number
  result: string | null
  parts: string | null
  failure: string | null
  created_at: number
  completed_at: number | null
}

const COLUMNS = 'id, kind, state, step, attempts, lease, lease_number, result, parts, failure, created_at, completed_at'

const isLive = ({ state }: JobRow) => state === 'queued' || state === 'running'

/** Rows that may have changed since the last commit: of live jobs, and of those that were live. */
const readJobs = (sql: Sql, known: ReadonlyMap<string, JobRow>): JobRow[] => {
  const live = sql.exec<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE state IN ('queued', 'running')`).toArray()
  const ids = new Set(live.map(({ id }) => id))
  const ended = [...known.values()].filter((job) => isLive(job) && !ids.has(job.id))
  return [
    ...live,
    ...ended.flatMap(({ id }) => sql.exec<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`, id).toArray()),
  ]
}

/** Every job ends once, its result is that of its last lease, and attempts are used only for what a step may have caused. */
export const jobs = (): Invariants => {
  const known = new Map<string, Map<string, JobRow>>()
  return {
    atCommit: (seen, accountId, sql) => {
      const before = known.get(accountId) ?? new Map<string, JobRow>()
      known.set(accountId, before)
      for (const job of readJobs(sql, before)) {
        const last = before.get(job.id)
        before.set(job.id, job)
        if (last) compare(seen, last, job)
        else checkLimit(seen, job, sql)
        if (!isLive(job)) checkEnd(seen, job, sql)
      }
    },
    atRest: (seen) => {
      eachAccount(seen, (account, sql) => {
        const rows = new Map(
          sql
            .exec<JobRow>(`SELECT ${COLUMNS} FROM jobs`)
            .toArray()
            .map((job) => [job.id, job]),
        )
        for (const job of rows.values()) {
          if (isLive(job)) seen.broken('every job ends', job.id, `it is ${job.state} at ${job.step}`)
        }
        for (const { id } of account.jobs) {
          if (!rows.has(id)) seen.broken('a job that was accepted exists', id, 'there is no row')
        }
        for (const [id, last] of known.get(account.id) ?? []) {
          const now = rows.get(id)
          if (!now) seen.broken('no job vanishes', id, 'its row is gone')
          else if (!isLive(last) && (now.state !== last.state || now.completed_at !== last.completed_at)) {
            seen.broken('a job ends once', id, `${last.state}, then ${now.state}`)
          }
        }
        for (const { request, ids } of startsOfRequests(sql)) {
          if (ids.includes(' ')) seen.broken('a request starts one job', request, ids)
        }
        for (const [key, ids] of account.startedWith) {
          if (ids.size > 1) seen.broken('a key starts one job', key, [...ids].join(' '))
        }
      })
    },
  }
}

/** Items of batches have the request of their batch. */
const startsOfRequests = (sql: Sql): { request: string; ids: string }[] =>
  sql
    .exec<{ request: string; ids: string }>(
      `SELECT request, group_concat(id, ' ') AS ids FROM
         (SELECT measured ->> 'requestId' AS request, id FROM jobs WHERE batch_id IS NULL
           UNION ALL SELECT request ->> 'requestId', id FROM batches WHERE request ->> 'watchId' IS NULL)
        WHERE request IS NOT NULL GROUP BY request`,
    )
    .toArray()

/** When a job begins, the account has no more live jobs of its kind than it may have. */
const checkLimit = (seen: Seen, { id, kind }: JobRow, sql: Sql): void => {
  const { live, limits } = sql
    .exec<{ live: number; limits: string }>(
      `SELECT limits, (SELECT count(*) FROM jobs WHERE kind = ? AND state IN ('queued', 'running')) AS live FROM account`,
      kind,
    )
    .one()
  const limit = limitsOf(JSON.parse(limits), defaultLimits).concurrentJobs[kind as 'import']
  if (live > limit) seen.broken('no more live jobs than the limit', id, `${live} of ${limit}`)
}

const compare = (seen: Seen, last: JobRow, job: JobRow): void => {
  if (job.lease_number < last.lease_number) {
    seen.broken('lease numbers grow', job.id, `${last.lease_number}, then ${job.lease_number}`)
  }
  if (job.lease !== null && job.lease !== last.lease) {
    const attempt = seen.claims.get(job.lease) ?? last.lease_number + 1
    if (attempt !== last.lease_number + 1) {
      seen.broken('a claim knows of the last lease', job.id, `attempt ${attempt} after ${last.lease_number}`)
    }
  }
  if (job.attempts > MAX_ATTEMPTS) seen.broken('at most three attempts', job.id, `${job.attempts}`)
  if (last.lease !== null && job.lease !== null && job.lease !== last.lease) checkTaken(seen, last)
  const isOver = last.lease !== null && job.lease !== last.lease && isLive(job) && job.step === last.step
  if (!isOver) return
  // The new lease, if there is one, counts as an attempt.
  const used = job.attempts - (job.lease === null ? 0 : 1)
  // What runs in the Worker ends with its invocation, and nobody can tell why.
  if (used < last.attempts || last.lease?.startsWith('worker-')) return
  if (!seen.blamed.has(job.id, last.lease_number)) {
    seen.broken('no attempt is used for a fault that is not the step’s', job.id, `${last.step} ${last.lease_number}`)
  }
}

/** A claim takes the lease of an attempt only if its engine has not accepted it, as far as the fleet could know. */
const checkTaken = ({ runs, blamed, world, broken }: Seen, { id, lease_number: attempt }: JobRow): void => {
  const run = runs.find(({ jobId, attempt: other }) => jobId === id && other === attempt)
  if (!run || blamed.isTroubled(run.engine)) return
  const process = world.containers.processes().find(({ name }) => name === run.engine)
  if (process?.pool.steps.some((step) => step.jobId === id && step.attempt === attempt)) {
    broken('no claim takes the lease of an attempt that runs', id, `attempt ${attempt} on ${run.engine}`)
  }
}

const checkEnd = (seen: Seen, job: JobRow, sql: Sql): void => {
  if (job.lease !== null) seen.broken('an ended job has no lease', job.id, job.lease)
  if (job.state === 'completed') checkResult(seen, job)
  const { code } = (job.failure === null ? {} : JSON.parse(job.failure)) as { code?: string }
  if (code === 'INTERNAL' && !hasRunInWorker(sql, job)) {
    const blamed = Array.from({ length: job.lease_number }, (_, index) => seen.blamed.has(job.id, index + 1))
    if (blamed.filter(Boolean).length < MAX_ATTEMPTS)
      seen.broken('INTERNAL has three reasons', job.id, `${job.failure}`)
  }
  // An account that loses its first alarm and the message of its first step has told nobody that it has work.
  const isTold = seen.neverFail('alarm dropped') || seen.neverFail('message lost')
  if (code === 'TIMED_OUT' && isTold && (job.completed_at ?? 0) - job.created_at >= JOB_DEADLINE_MS) {
    seen.broken('no job waits until its deadline', job.id, `${job.lease_number} leases`)
  }
}

const hasRunInWorker = (sql: Sql, { id }: JobRow): boolean => {
  const query = `SELECT 1 FROM jobs WHERE id = ? AND (request ->> 'store' OR request ->> 'storage' IS NOT NULL
    OR coalesce(request ->> '$.transcribe.provider', request ->> 'provider') LIKE 'provider_%')`
  return sql.exec(query, id).toArray().length > 0
}

/** The files of a result are those of the attempts that had the last lease of their steps. */
const checkResult = (seen: Seen, { id, result, parts, lease_number }: JobRow): void => {
  if (result === null) {
    seen.broken('a completed job has a result', id, 'null')
    return
  }
  const { stored, attempt, bucket } = JSON.parse(result) as { stored?: Attempt; bucket?: unknown } & Partial<Attempt>
  const made = JSON.parse(parts ?? '[]') as { kind: string; state: string; words?: Attempt }[]
  const attempts = [stored?.attempt ?? attempt ?? 0, ...made.flatMap(({ words }) => words?.attempt ?? [])]
  const of = Math.max(...attempts)
  // A copy to the caller's bucket, and speech that has failed, have had leases of their own since.
  const hasFailed = made.some((part) => part.kind === 'transcript' && part.state !== 'completed')
  const isLast = bucket ? of < lease_number : of === lease_number || (hasFailed && of < lease_number)
  if (!isLast) seen.broken('a result belongs to the last lease', id, `attempt ${of} of ${lease_number}`)
}

interface Attempt {
  attempt: number
}
