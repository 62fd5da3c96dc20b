import type { Faults } from '../faults/faults.ts'
import type { Handler } from '../platform/internet.ts'
import { sleep } from '../sleep.ts'

export const RECEIVER_URL = 'https://hooks.example/haul'
export const RECEIVER_HOST = 'hooks.example'

/** A webhook's receiver: answers 2xx, fails, is slow, or is gone for good (410). */
export class Receiver {
  /** The bodies of each delivery's attempts, whatever the answer was. */
  readonly bodies = new Map<string, Set<string>>()
  /** Deliveries that were answered with 2xx. */
  readonly accepted = new Set<string>()
  readonly #faults: Faults

  constructor(faults: Faults) {
    this.#faults = faults
  }

  readonly handle: Handler = async ({ headers, body }) => {
    const id = headers.get('webhook-id') ?? ''
    this.bodies.set(id, (this.bodies.get(id) ?? new Set()).add(typeof body === 'string' ? body : textOf(body)))
    if (this.#faults.happens('receiver fails', id)) {
      const how = this.#faults.between('receiver fails', 0, 3)
      if (how === 0) return { status: 500 }
      if (how === 1) return { status: 429, headers: { 'retry-after': '20' } }
      if (how === 2) await sleep(20_000)
      if (how === 3) return { status: 302, headers: { location: 'https://elsewhere.example/' } }
    }
    this.accepted.add(id)
    return { status: 204 }
  }
}

const textOf = (body: unknown): string => (body instanceof Uint8Array ? new TextDecoder().decode(body) : `${body}`)
