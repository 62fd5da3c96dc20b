/**
 * A binary heap whose items can be removed or moved wherever they are. `add`, `delete` and `update` are O(log n).
 * An item is compared by values outside of the heap: whoever changes them calls `update`.
 */
export class Heap<Item> {
  readonly #isBefore: (a: Item, b: Item) => boolean
  readonly #items: Item[] = []
  readonly #positions = new Map<Item, number>()

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  get top(): Item | undefined {
    return this.#items[0]
  }

  values(): Iterable<Item> {
    return this.#items
  }

  add(item: Item): void {
    if (!this.#positions.has(item)) this.#put(item, this.#items.length)
    this.update(item)
  }

  delete(item: Item): void {
    const position = this.#positions.get(item)
    if (position === undefined) return
    this.#positions.delete(item)
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#put(last, position)
    this.update(last)
  }

  update(item: Item): void {
    const position = this.#positions.get(item)
    if (position === undefined) return
    this.#sink(item, this.#rise(item, position))
  }

  /** The first item, in order, that is accepted. O(k log k) for k items that come before it. */
  first(accepts: (item: Item) => boolean): Item | null {
    const at = (position: number): Item => this.#items[position] as Item
    if (this.size === 0 || accepts(at(0))) return this.top ?? null
    const next = new Heap<number>((a, b) => this.#isBefore(at(a), at(b)))
    let rejected: number | undefined = 0
    while (rejected !== undefined) {
      for (const child of [2 * rejected + 1, 2 * rejected + 2]) if (child < this.size) next.add(child)
      const position: number | undefined = next.top
      if (position !== undefined && accepts(at(position))) return at(position)
      if (position !== undefined) next.delete(position)
      rejected = position
    }
    return null
  }

  #put(item: Item, position: number): void {
    this.#items[position] = item
    this.#positions.set(item, position)
  }

  #rise(item: Item, from: number): number {
    let position = from
    while (position > 0) {
      const above = (position - 1) >> 1
      const parent = this.#items[above] as Item
      if (!this.#isBefore(item, parent)) break
      this.#put(parent, position)
      position = above
    }
    this.#put(item, position)
    return position
  }

  #sink(item: Item, from: number): void {
    let position = from
    for (;;) {
      const below = this.#firstChild(position)
      const child = this.#items[below]
      if (child === undefined || !this.#isBefore(child, item)) break
      this.#put(child, position)
      position = below
    }
    this.#put(item, position)
  }

  #firstChild(position: number): number {
    const left = 2 * position + 1
    const [a, b] = [this.#items[left], this.#items[left + 1]]
    return a !== undefined && b !== undefined && this.#isBefore(b, a) ? left + 1 : left
  }
}
