import { REMEMBER_FREED_MS } from './fleet-limits.ts'

/** `ended`: the step's outcome is known. `lost`: the account was told to give the step back. */
export type Freed = 'ended' | 'lost'

/** Places that were freed in the last one to two minutes: states of engines can still list them. O(1). */
export class FreedPlaces {
  #places = new Map<string, Freed>()
  #before = new Map<string, Freed>()
  #since = 0

  add(placeId: string, freed: Freed, now: number): void {
    if (now - this.#since >= REMEMBER_FREED_MS) {
      this.#before = this.#places
      this.#places = new Map()
      this.#since = now
    }
    this.#places.set(placeId, freed)
  }

  get(placeId: string): Freed | undefined {
    return this.#places.get(placeId) ?? this.#before.get(placeId)
  }
}
