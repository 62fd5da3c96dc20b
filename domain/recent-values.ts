/** A map with at most `limit` entries. A new entry takes the place of the oldest. */
export class RecentValues<Key, Value> {
  readonly #values = new Map<Key, Value>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#limit) this.delete(this.#values.keys().next().value as Key)
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}
