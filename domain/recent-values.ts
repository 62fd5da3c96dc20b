/** Keeps the newest values, whose sizes add up to at most `limit`. Without `sizeOf` each has the size 1. */
export class RecentValues<Key, Value> {
  readonly #values = new Map<Key, Value>()
  readonly #limit: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  constructor(limit: number, sizeOf: (value: Value) => number = () => 1) {
    this.#limit = limit
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#size += this.#sizeOf(value)
    while (this.#size > this.#limit) this.delete(this.#values.keys().next().value as Key)
  }

  delete(key: Key): void {
    const value = this.#values.get(key)
    if (this.#values.delete(key)) this.#size -= this.#sizeOf(value as Value)
  }

  clear(): void {
    this.#values.clear()
    this.#size = 0
  }
}
