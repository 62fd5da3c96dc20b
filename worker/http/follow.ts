import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Batch } from '../../domain/batches/batch.ts'
import type { Job } from '../../domain/jobs/job.ts'
import type { BatchSnapshot, JobSnapshot } from '../account/calls.ts'
import type { JobJson } from '../media/present.ts'
import type { HttpEnv } from './request-context.ts'
import { eventStream, refusals } from './schemas.ts'
import { HEARTBEAT_MS, serverSentEvents } from './server-sent-events.ts'
import { Wait } from './wait-for-account.ts'

type Snapshot = JobSnapshot | BatchSnapshot

const shownIn = (snapshot: Snapshot): Job | Batch => ('job' in snapshot ? snapshot.job : snapshot.batch)

export const hasEnded = (snapshot: Snapshot): boolean => shownIn(snapshot).completedAt !== null

interface FollowOptions {
  until?: number
  signal?: AbortSignal
  /** Without a change for so long, the same snapshot is yielded again. */
  repeatMs?: number
}

/** A job or a batch as it is, and after each change until its end. Ends early if it is gone or the key was revoked. */
export async function* changesOf<Of extends Snapshot>(
  c: Context<HttpEnv>,
  first: Of,
  { until = Infinity, signal, repeatMs = Infinity }: FollowOptions,
): AsyncGenerator<Of> {
  let snapshot = first
  const wait = new Wait(c, () => ({ subject: shownIn(first).id, seen: snapshot.version, streamId: null }))
  try {
    yield first
    let yieldedAt = Date.now()
    while (!hasEnded(snapshot) && Date.now() < until) {
      const message = await wait.next(Math.min(until, yieldedAt + repeatMs), signal)
      if (signal?.aborted || message === 'over') return
      const told: Of = message === null ? snapshot : JSON.parse(message)
      if (told.version !== snapshot.version) snapshot = told
      else if (Date.now() < yieldedAt + repeatMs) continue
      yield snapshot
      yieldedAt = Date.now()
    }
  } finally {
    wait.close()
  }
}

/** The job when it has ended, or as it is then. */
export const whenEnded = async (
  c: Context<HttpEnv>,
  first: JobSnapshot,
  options: Pick<FollowOptions, 'until' | 'signal'>,
): Promise<JobSnapshot> => {
  let last = first
  for await (const snapshot of changesOf(c, first, options)) last = snapshot
  return last
}

const paths = { job: '/jobs/{id}', batch: '/batches/{id}' }

/** What routes with `streamChanges` declare. */
export const changeStreamOf = (subject: keyof typeof paths) => ({
  summary: `Stream the changes of a ${subject} as server-sent events`,
  description: `Each event is named \`${subject}\`, and its data is that of \`GET ${paths[subject]}\`. The stream closes when the ${subject} ends. A request with the \`Last-Event-ID\` of its end gets 204, so \`EventSource\` stops.`,
  request: { headers: z.object({ 'last-event-id': z.string().optional() }) },
  responses: {
    200: eventStream,
    204: { description: 'The last event was received.' },
    ...refusals(404),
  },
})

export const streamChanges = <Of extends Snapshot>(
  c: Context<HttpEnv>,
  first: Of,
  dataOf: (snapshot: Of) => JobJson | Promise<JobJson>,
): Response => {
  if (hasEnded(first) && c.req.header('last-event-id') === `${first.version}`) return c.body(null, 204)
  return serverSentEvents(c, async (stream) => {
    const event = 'job' in first ? 'job' : 'batch'
    let sent: Of | null = null
    for await (const snapshot of changesOf(c, first, { signal: stream.gone, repeatMs: HEARTBEAT_MS })) {
      if (snapshot === sent) await stream.heartbeat()
      else await stream.send({ event, id: `${snapshot.version}`, data: await dataOf(snapshot) })
      sent = snapshot
    }
  })
}
