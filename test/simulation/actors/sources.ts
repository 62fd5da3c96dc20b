import type { FailureCode } from '../../../domain/codes/failures.ts'
import type { Handler } from '../platform/internet.ts'

/** What is at a URL. The URL itself says it, so that an act decides it and nothing else has to be told. */
export interface SourceFacts {
  bytes: number
  /** As the file states. */
  seconds: number
  /** As often as it states, the file really lasts so long. */
  lasts: number
  /** How long a step works on it. */
  workMs: number
  /** The languages of its captions, such as `en,de`. Those that cannot be read have a code: `de:SOURCE_RATE_LIMITED`. */
  captions: string
  hasAudio: boolean
  isSilent: boolean
  /** The size is announced before the download. */
  isSizeKnown: boolean
  /** What the container finds. */
  fails: FailureCode | null
  /** It does not fail any more from then on, in ms since 1970. 0: for ever. */
  failsUntil: number
  /** What the first request finds. */
  status: number
  /** Of a list. */
  items: number
}

export const SOURCE_HOST = 'media.example'

const usual: SourceFacts = {
  ...{ bytes: 3_000_000, seconds: 60, lasts: 1, workMs: 3_000, captions: '', hasAudio: true },
  ...{ isSilent: false, isSizeKnown: true, fails: null, failsUntil: 0, status: 206, items: 0 },
}

/** `name`: different for each source. */
export const sourceUrl = (name: string, facts: Partial<SourceFacts> = {}): string => {
  const query = new URLSearchParams()
  for (const [field, value] of Object.entries(facts)) {
    if (value !== null) query.set(field, `${value}`)
  }
  return `https://${SOURCE_HOST}/${name}.mp4?${query}`
}

export const factsOf = (url: string): SourceFacts => {
  const query = new URL(url).searchParams
  const number = (name: 'bytes' | 'seconds' | 'lasts' | 'workMs' | 'status' | 'items' | 'failsUntil') =>
    Number(query.get(name) ?? usual[name])
  const isTrue = (name: 'hasAudio' | 'isSilent' | 'isSizeKnown') => (query.get(name) ?? `${usual[name]}`) === 'true'
  const failsUntil = number('failsUntil')
  const isWell = failsUntil !== 0 && Date.now() >= failsUntil
  return {
    ...{ bytes: number('bytes'), seconds: number('seconds'), lasts: number('lasts'), workMs: number('workMs') },
    ...{ captions: query.get('captions') ?? usual.captions, hasAudio: isTrue('hasAudio') },
    ...{ isSilent: isTrue('isSilent'), isSizeKnown: isTrue('isSizeKnown') },
    ...{ fails: isWell ? null : (query.get('fails') as FailureCode | null), failsUntil, items: number('items') },
    status: isWell ? usual.status : number('status'),
  }
}

/** The captions that it lists. `code`: null, or why they cannot be read. */
export const tracksOf = ({ captions }: SourceFacts): { language: string; code: string | null }[] =>
  captions
    .split(',')
    .filter((track) => track !== '')
    .map((track) => {
      const [language = '', code = null] = track.split(':')
      return { language, code }
    })

/** Answers the Worker's request for the first bytes. */
export const sources: Handler = ({ url }) => {
  const { bytes, isSizeKnown, status } = factsOf(url.href)
  if (status !== 206) return { status }
  if (!isSizeKnown) return { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }
  const headers = { 'content-type': 'video/mp4', 'content-range': `bytes 0-1023/${bytes}` }
  return { status: 206, headers, body: new Uint8Array(16) }
}
