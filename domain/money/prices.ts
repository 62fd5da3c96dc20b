import { type Micros, max, micros } from './money.ts'

/** Micro-dollars for bytes downloaded: $0.01 per MB (1,000,000 bytes), pro rata, rounded up once. */
export const downloadCost = (bytes: number): Micros => micros(Math.ceil(bytes / 100))

/** The most bytes that cost no more than this. */
export const bytesFor = (amount: Micros): number => Math.max(0, amount) * 100

/** Held for a job whose size is unknown: one MB. */
export const UNKNOWN_SIZE_BYTES = 1_000_000

/** $0.01 per video whose captions already exist. */
export const CAPTIONS_COST = micros(10_000)

const MINIMUM_SPEECH = micros(30_000)

/** $0.02 per media-minute, billed to the fraction of a second, at least $0.03. */
export const builtinCost = (seconds: number): Micros =>
  max(MINIMUM_SPEECH, micros(Math.ceil(perMinute(seconds, 20_000))))

/** $0.01 per media-minute, minimum $0.03; the provider bills its own usage to the caller's key. */
export const providerCost = (seconds: number): Micros =>
  max(MINIMUM_SPEECH, micros(Math.ceil(perMinute(seconds, 10_000))))

/** The most seconds of speech that cost no more than this. */
export const builtinSecondsFor = (amount: Micros): number => secondsFor(amount, 20_000)
export const providerSecondsFor = (amount: Micros): number => secondsFor(amount, 10_000)

const secondsFor = (amount: Micros, rate: number): number =>
  amount < MINIMUM_SPEECH ? 0 : Math.floor((amount * 60_000) / rate) / 1000

/** Durations are probed floats: whole milliseconds keep 0.1 + 0.2 from costing a micro-dollar more. */
const perMinute = (seconds: number, rate: number): number => (Math.round(seconds * 1000) * rate) / 60_000
