import { Fleet, type FleetOptions, type LostPlace } from '../../../../domain/fleet/fleet.ts'
import { engineName } from '../../../../domain/fleet/fleet-index.ts'
import type { Place, PlaceRequest } from '../../../../domain/fleet/place.ts'
import type { EngineState } from '../../../../domain/protocol/protocol.ts'

export const GB = 1_000_000_000
export const capacity = { places: { network: 4, cpu: 2 }, diskBytes: 10 * GB }

export const newFleet = ({ engines = 20, ...options }: Partial<FleetOptions> & { engines?: number } = {}): Fleet => {
  let places = 0
  const names = Array.from({ length: engines }, (_, index) => engineName(index))
  return new Fleet({ names, warm: 0, expected: capacity, newId: () => `place-${++places}`, ...options })
}

/** What an engine answers that runs these places. */
export const stateWith = (places: readonly Place[] = [], state: Partial<EngineState> = {}): EngineState => ({
  status: 'ok',
  uptimeMs: Number.MAX_SAFE_INTEGER,
  extractor: { version: null, channel: 'pinned', problem: null },
  ...capacity,
  running: places.map(({ id, jobId, step, accountId, diskBytes, attempt }) => ({
    jobId,
    step,
    accountId,
    diskBytes,
    attempt,
    placeId: id,
  })),
  ...state,
})

/** A fleet whose first engines run and are empty. */
export const fleetWith = (running: number, state: Partial<EngineState> = {}): Fleet => {
  const fleet = newFleet({ expected: { ...capacity, ...state } })
  for (let index = 0; index < running; index++) fleet.engineState(engineName(index), stateWith([], state), 0)
  return fleet
}

export const step = (accountId: string, jobId: string, request: Partial<PlaceRequest> = {}): PlaceRequest => ({
  accountId,
  jobId,
  step: 'fetch',
  work: 'network',
  rank: 'job',
  diskBytes: 0,
  attempt: 1,
  ...request,
})

/** Requests a step that must get a place and start at once. */
export const placed = (fleet: Fleet, request: PlaceRequest, now = 0): Place => {
  const answer = fleet.request(request, now)
  const place = fleet.dispatch(now).find(({ jobId, step }) => jobId === request.jobId && step === request.step)
  if (!place) throw new Error(`${request.jobId}: ${answer}, and no place`)
  fleet.started(place.id, now)
  return place
}

/** Requests a step. Whether it waits then. */
export const waits = (fleet: Fleet, request: PlaceRequest, now = 0): boolean => {
  fleet.request(request, now)
  return fleet.dispatch(now).length === 0 && fleet.waiting(request) !== undefined
}

export const jobsOf = (places: readonly Place[]): string[] => places.map(({ jobId }) => jobId)

export const lostJobs = (lost: readonly LostPlace[]): string[] => lost.map(({ place }) => place.jobId)
