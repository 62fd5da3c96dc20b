import type { Work } from '../protocol/protocol.ts'

/**
 * What the step belongs to, in the order of service: `probe` is a `GET /metadata`, whose caller waits for the response, or
 * the listing of a playlist, on which a whole batch waits,
 * `job` a single request, `batch` an item of a batch.
 */
export const ranks = ['probe', 'job', 'batch'] as const
export type Rank = (typeof ranks)[number]

export const works = ['network', 'cpu'] as const satisfies readonly Work[]

/** A step of a job, or a `GET /metadata` or listing under an id of its own in the place of the job's. */
export interface PlaceRequest {
  accountId: string
  jobId: string
  step: string
  work: Work
  rank: Rank
  diskBytes: number
}

/** A step has a place on an engine from its grant until its end. */
export interface Place extends PlaceRequest {
  /** Also the lease of the step. */
  id: string
  engine: string
  grantedAt: number
  /** When the engine last listed the step in its state, or null. */
  listedAt: number | null
}

/** A request that stands in the line. */
export interface Waiting extends PlaceRequest {
  since: number
  /** Grows with each request, because many have the same time. */
  order: number
}

/** The work of a step of which only the name is known: an engine lists it, and the fleet has lost its request. */
export const workOfStep = (step: string): Work => (step === 'recognize' ? 'cpu' : 'network')

/** A job has one step at a time, and a step has one place or one position in the line. */
export const keyOf = ({ jobId, step }: Pick<PlaceRequest, 'jobId' | 'step'>): string => `${jobId} ${step}`
