import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LostPlace } from '../../../../domain/fleet/fleet.ts'
import { engineName } from '../../../../domain/fleet/fleet-index.ts'
import type { Place, PlaceRequest } from '../../../../domain/fleet/place.ts'
import type { Work } from '../../../../domain/protocol/protocol.ts'
import { runs } from '../../../support/runs.ts'
import { capacity, GB, newFleet, stateWith, step } from './small-fleet.ts'

const request = fc
  .record({
    account: fc.integer({ min: 0, max: 5 }),
    job: fc.integer({ min: 0, max: 30 }),
    work: fc.constantFrom<Work>('network', 'cpu'),
    rank: fc.constantFrom('probe' as const, 'job' as const, 'batch' as const),
    diskBytes: fc.constantFrom(0, GB, 4 * GB, 9 * GB),
  })
  .map(({ account, job, ...rest }): PlaceRequest => step(`acc_${account}`, `job_${account}_${job}`, rest))

const engine = fc.integer({ min: 0, max: 3 }).map(engineName)

/** What happens to a fleet. `pick` chooses one of the places. */
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('request' as const), request }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('free' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), request }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('state' as const),
      engine,
      status: fc.constantFrom('ok' as const, 'ok' as const, 'ok' as const, 'draining' as const, 'unfit' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gone' as const), engine }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('again' as const),
      pick: fc.nat(),
      restMs: fc.constantFrom(0, 5_000, 30_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 60_000 }) }) },
)

type Event = typeof event extends fc.Arbitrary<infer Each> ? Each : never

class History {
  readonly fleet = newFleet({ engines: 4 })
  readonly places = new Map<string, Place>()
  readonly waiting = new Map<string, PlaceRequest>()
  now = 0

  act(event: Event): void {
    const { fleet, now } = this
    if (event.kind === 'pass') this.now += event.ms
    if (event.kind === 'request') this.#request(event.request)
    if (event.kind === 'free') this.#free([...this.places.values()][event.pick % Math.max(1, this.places.size)])
    if (event.kind === 'again')
      this.#again([...this.places.values()][event.pick % Math.max(1, this.places.size)], event)
    if (event.kind === 'withdraw') {
      expect(fleet.withdraw(event.request)).toBe(this.waiting.delete(event.request.jobId))
    }
    if (event.kind === 'gone') this.#lose(fleet.engineGone(event.engine, now))
    if (event.kind === 'state') {
      const running = [...this.places.values()].filter((place) => place.engine === event.engine)
      this.#lose(fleet.engineState(event.engine, stateWith(running, { status: event.status }), now))
    }
    for (const place of fleet.dispatch(now)) this.#take(place)
    for (const name of fleet.scale(now).stop) this.#lose(fleet.engineGone(name, now))
    this.#check()
  }

  #request(request: PlaceRequest): void {
    const had = [...this.places.values()].find(({ jobId }) => jobId === request.jobId)
    const answer = this.fleet.request(request, this.now)
    if (had) expect(this.fleet.placeOf(request)?.id).toBe(had.id)
    else if (answer === 'known') this.waiting.set(request.jobId, request)
    else expect(this.waiting.has(request.jobId)).toBe(false)
  }

  #again(place: Place | undefined, { restMs }: { restMs: number }): void {
    if (!place) return
    this.fleet.again(place, { restMs, attempt: place.attempt }, this.now)
    this.places.delete(place.id)
    this.waiting.set(place.jobId, place)
  }

  #take(place: Place): void {
    this.waiting.delete(place.jobId)
    this.fleet.started(place.id, this.now)
    this.places.set(place.id, place)
  }

  #free(place: Place | undefined): void {
    if (!place) return
    expect(this.fleet.free(place.id, this.now)?.id).toBe(place.id)
    this.places.delete(place.id)
  }

  #lose(lost: readonly LostPlace[]): void {
    for (const { place } of lost) expect(this.places.delete(place.id)).toBe(true)
  }

  /** Nothing is placed twice or beyond what an engine has, and the fleet's counts are those of this history. */
  #check(): void {
    const places = [...this.places.values()]
    expect(new Set(places.map(({ jobId }) => jobId)).size).toBe(places.length)
    for (const { name } of this.fleet.engines()) {
      const on = places.filter(({ engine }) => engine === name)
      for (const work of ['network', 'cpu'] as const) {
        expect(on.filter((place) => place.work === work).length).toBeLessThanOrEqual(capacity.places[work])
      }
      expect(on.reduce((sum, { diskBytes }) => sum + diskBytes, 0)).toBeLessThanOrEqual(capacity.diskBytes)
    }
    const { engines, waiting } = this.fleet.report(this.now)
    const taken = engines.map(({ places }) => places.network.taken + places.cpu.taken)
    expect(taken.reduce((sum, each) => sum + each, 0)).toBe(places.length)
    expect(waiting.get('fetch')?.count ?? 0).toBe(this.waiting.size)
  }

  /** From here on every engine runs and every place is freed in turn. */
  finish(): void {
    for (let turn = 0; turn < 200 && this.waiting.size + this.places.size > 0; turn++) {
      this.act({ kind: 'pass', ms: 10_000 })
      for (let index = 0; index < 4; index++) this.act({ kind: 'state', engine: engineName(index), status: 'ok' })
      for (const place of [...this.places.values()]) this.#free(place)
    }
    expect([...this.waiting.keys()]).toEqual([])
  }
}

test('whatever happens, no engine gets more than it has, no step two places, and all that wait are placed in the end', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (events) => {
      const history = new History()
      for (const each of events) history.act(each)
      history.finish()
    }),
    runs(300),
  )
})
