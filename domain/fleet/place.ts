import type { Work } from '../protocol/protocol.ts'

/** In the order of service. `probe`: a `GET /metadata`, or the listing of a playlist, on which a whole batch waits. */
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
  /** The number of the attempt that is to start. Every lease of a job has the next number. 1 for probes. */
  attempt: number
}

/** Since when a step waits. It keeps its position in the line when it gets a place and cannot start there. */
export interface WaitingRequest extends PlaceRequest {
  since: number
}

export interface Place extends WaitingRequest {
  /** The id is also the lease of the step. */
  id: string
  engine: string
  grantedAt: number
  /** When the engine accepted the step. null: its start is under way, or it is a probe, which no engine lists. */
  startedAt: number | null
}

/** The work of a step of which only the name is known: an engine lists it, and the fleet has lost its request. */
export const workOfStep = (step: string): Work => (step === 'recognize' ? 'cpu' : 'network')

export type StepKey = Pick<PlaceRequest, 'jobId' | 'step'>

/** A job has one step at a time, and a step has one place or one position in the line. */
export const keyOf = ({ jobId, step }: StepKey): string => `${jobId} ${step}`
