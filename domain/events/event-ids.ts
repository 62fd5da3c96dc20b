import { positionOf } from '../ids.ts'

/**
 * The order of an account's events is that of their numbers: the time in microseconds, but always more than that of the
 * event before. So events of one transaction, of one millisecond, or after the clock was set back have an order too.
 */
export const nextEventNumber = (last: number, now: number): number => Math.max(last + 1, now * MICROS_PER_MS)

/** The lowest number of an event that is not earlier than `ms`. */
export const eventNumberAt = (ms: number): number => ms * MICROS_PER_MS

export const eventTimeMs = (number: number): number => Math.floor(number / MICROS_PER_MS)

const MICROS_PER_MS = 1_000

/** The letters of a ULID. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const RANDOM_LENGTH = 14
/** Ten letters are the milliseconds, as in a ULID, and two are the microseconds. */
const NUMBER_LENGTH = 12
const MICROS_BASE = ALPHABET.length ** 2

/** Sorts by the number. The rest is from the id of the job or the batch, so that no two accounts have the same id. */
export const eventId = (number: number, subjectId: string): string => {
  let rest = eventTimeMs(number) * MICROS_BASE + (number % MICROS_PER_MS)
  let letters = ''
  for (let index = 0; index < NUMBER_LENGTH; index++) {
    letters = `${ALPHABET[rest % ALPHABET.length]}${letters}`
    rest = Math.floor(rest / ALPHABET.length)
  }
  return `evt_${letters}${positionOf(subjectId).slice(-RANDOM_LENGTH)}`
}

/** The id of the position after this number, for a stream that has sent no event. */
export const eventPositionId = (number: number): string => eventId(number, '0'.repeat(RANDOM_LENGTH))

/** The number of an event, from any well-formed id. */
export const eventNumberOf = (id: string): number => {
  const letters = positionOf(id).slice(0, NUMBER_LENGTH)
  const digits = [...letters].reduce((sum, letter) => sum * ALPHABET.length + ALPHABET.indexOf(letter), 0)
  // The ids of test webhooks are random, so their last two letters may be more than 999.
  const micros = Math.min(digits % MICROS_BASE, MICROS_PER_MS - 1)
  return Math.floor(digits / MICROS_BASE) * MICROS_PER_MS + micros
}
