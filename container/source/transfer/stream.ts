import { createHash } from 'node:crypto'
import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../failure.ts'
import { type Answer, ask } from './answer.ts'
import { createRetrying, Interrupted, type Patience } from './patience.ts'

/** Through which exit, until when, and how patiently. */
export interface Way {
  egress: Egress
  signal: AbortSignal
  patience: Patience
}

/** A file, or a range of one. */
export interface Resource {
  url: string
  headers: Record<string, string>
  start: number
  /** Exclusive; null: where the file ends. */
  end: number | null
}

/** Which file it is, so that no two are ever mixed. */
export type Identity = Pick<Answer, 'totalBytes' | 'tag' | 'validator'>

export interface StreamOptions {
  /** An answer that is there already, read first. */
  first?: Answer
  /** Hears of the file once, before its first byte. */
  onIdentity?(answer: Answer): void
  /** The file that it has to be. */
  identity?: Identity
  /** Asked when the origin has too many requests: true gives up this one at once. */
  yields?(): boolean
}

export type Put = (bytes: Uint8Array, offset: number) => Promise<void>

/** The origin has ranges no more, or never had: what was asked for has to be read from the start. */
export class WithoutRanges extends Error {}

/**
 * Reads a resource from its first to its last byte, in order, through cuts, stalls and refusals. After a cut
 * it goes on where it was: by a range where the origin has them, else by reading from the start and
 * comparing what is already there. `put` gets each byte once. Resolves to where the resource ended.
 */
export async function stream(resource: Resource, put: Put, way: Way, options: StreamOptions = {}): Promise<number> {
  const retry = createRetrying(way.patience, way.signal)
  const reading = createReading(resource, put, options)
  let first = options.first
  for (;;) {
    try {
      const answer = first ?? (await ask(reading.wish(), way.egress, way.signal, way.patience.idleMs))
      first = undefined
      if (await reading.advance(answer)) return reading.at
    } catch (error) {
      if (error instanceof WithoutRanges && reading.goesBack()) continue
      if (!(error instanceof Interrupted) || (error.crowded && options.yields?.())) throw error
      await retry(error, reading.at)
    }
  }
}

/** How far a resource has been read, over as many answers as it takes. */
function createReading(resource: Resource, put: Put, options: StreamOptions) {
  const past = createHash('sha1')
  let { identity } = options
  let at = resource.start
  /** A file without ranges is the same after a cut only if its beginning is. */
  let remembers = false
  let trustsRanges = true

  return {
    get at() {
      return at
    },
    wish: () => ({ ...resource, start: trustsRanges ? at : 0, ifRange: identity?.validator ?? null }),
    /** Whether there is another way than by ranges: only a whole file can be read from its start again. */
    goesBack() {
      const may = trustsRanges && resource.start === 0 && resource.end === null
      trustsRanges = false
      return may
    },
    /** Reads an answer to its end. True when that is the resource's end, false when it was only the range's. */
    async advance(answer: Answer): Promise<boolean> {
      try {
        identify(answer)
        await skip(answer)
        await read(answer)
      } finally {
        answer.discard()
      }
      const end = resource.end ?? identity?.totalBytes ?? null
      if (end === null || at === end) return true
      if (at > end) throw new SourceFailure('SOURCE_TRUNCATED', 'The source is longer than it announced.')
      // A range may be shorter than what was asked for. Another kind of early end is a cut.
      if (!answer.isRange || at !== answer.end) throw new Interrupted('SOURCE_TRUNCATED')
      return false
    },
  }

  function identify(answer: Answer) {
    if (at === resource.start) remembers = !answer.isRange
    if (identity) return assertSame(identity, answer)
    identity = answer
    options.onIdentity?.(answer)
  }

  async function read(answer: Answer) {
    for (let bytes = await answer.read(); bytes; bytes = await answer.read()) {
      const wanted = resource.end === null ? bytes : bytes.subarray(0, resource.end - at)
      await put(wanted, at)
      if (remembers) past.update(wanted)
      at += wanted.length
      // A body that ends here by itself leaves a connection that can be used again.
      if (at === resource.end && at !== answer.end) break
    }
  }

  /** Passes over what we have, and makes sure that it is what we have. */
  async function skip(answer: Answer) {
    const ahead = at - answer.start
    const isFromStart = answer.start === resource.start
    if (answer.isRange ? ahead !== 0 : ahead > nearBytes && !isFromStart) throw new WithoutRanges()
    const again = await digestOf(answer, ahead)
    if (isFromStart && remembers && again !== past.copy().digest('hex')) throw changed()
  }
}

/** Bytes worth reading and throwing away rather than asking again. */
const nearBytes = 65_536

/** Reads so many bytes of an answer, for their digest only. */
async function digestOf(answer: Answer, length: number): Promise<string> {
  const hash = createHash('sha1')
  for (let left = length; left > 0; ) {
    const bytes = await answer.read()
    if (!bytes) throw new Interrupted('SOURCE_TRUNCATED')
    hash.update(bytes.subarray(0, left))
    if (bytes.length > left) answer.unread(bytes.subarray(left))
    left -= bytes.length
  }
  return hash.digest('hex')
}

function assertSame(known: Identity, answer: Answer) {
  const isSame = answer.tag === known.tag && (known.totalBytes === null || answer.totalBytes === known.totalBytes)
  if (!isSame) throw changed()
}

const changed = () => new SourceFailure('SOURCE_TRUNCATED', 'The source changed while it was downloaded.')
