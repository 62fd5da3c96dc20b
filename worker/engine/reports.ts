import { Hono } from 'hono'
import {
  Outcome,
  PartsOrder,
  type PartsPlan,
  Progress,
  type ProgressAnswer,
  type StepResult,
  UploadOrder,
  type UploadPlan,
} from '../../container/protocol.ts'
import { type Failure, type FailureCode, failure, failures } from '../domain/codes/failures.ts'
import { type Lease, readLease } from './leases.ts'

/** What reports need of the others; index.ts introduces them. False and 'lost' mean that the lease is lost. */
export interface Desk {
  progress(lease: Lease, report: Progress): Promise<'go on' | 'stop' | 'lost'>
  planUpload(lease: Lease, order: UploadOrder): Promise<UploadPlan | null>
  planParts(lease: Lease, order: PartsOrder): Promise<PartsPlan | null>
  done(lease: Lease, result: StepResult): Promise<boolean>
  failed(lease: Lease, reason: Failure): Promise<boolean>
  gaveBack(lease: Lease): Promise<boolean>
}

type Reporting = { Bindings: Env; Variables: { lease: Lease; desk: Desk } }

/** Where the container reports: `POST /internal/jobs/{id}/…` with its lease token. 409 says: stop, it is lost. */
export const reports = (leaseKey: (env: Env) => Promise<CryptoKey>, deskOf: (env: Env) => Desk) => {
  const app = new Hono<Reporting>()

  app.use('/:jobId/*', async (c, next) => {
    const token = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    const lease = await readLease(await leaseKey(c.env), token)
    if (!lease || lease.jobId !== c.req.param('jobId')) return c.json({ error: 'not a lease of this job' }, 401)
    c.set('lease', lease)
    c.set('desk', deskOf(c.env))
    return next()
  })

  app.post('/:jobId/progress', async (c) => {
    const heard = await c.var.desk.progress(c.var.lease, Progress.parse(await c.req.json()))
    return heard === 'lost' ? c.json(lost, 409) : c.json({ stop: heard === 'stop' } satisfies ProgressAnswer)
  })

  app.post('/:jobId/uploads', async (c) => {
    const plan = await c.var.desk.planUpload(c.var.lease, UploadOrder.parse(await c.req.json()))
    return plan ? c.json(plan) : c.json(lost, 409)
  })

  app.post('/:jobId/parts', async (c) => {
    const plan = await c.var.desk.planParts(c.var.lease, PartsOrder.parse(await c.req.json()))
    return plan ? c.json(plan) : c.json(lost, 409)
  })

  app.post('/:jobId/outcome', async (c) => {
    const taken = await take(c.var.desk, c.var.lease, Outcome.parse(await c.req.json()))
    return taken ? c.json({}) : c.json(lost, 409)
  })

  return app
}

const lost = { error: 'the lease is lost' }

const take = (desk: Desk, lease: Lease, outcome: Outcome): Promise<boolean> => {
  if (outcome.status === 'done') return desk.done(lease, outcome.result)
  if (outcome.status === 'failed') return desk.failed(lease, failureOf(outcome.code, outcome.message))
  console.warn('gave back', lease.jobId, lease.step, lease.attempt, outcome.reason)
  return desk.gaveBack(lease)
}

/** A newer container may know codes that this Worker does not. */
export const failureOf = (code: string, message?: string): Failure =>
  Object.hasOwn(failures, code) ? failure(code as FailureCode, message) : failure('INTERNAL')
