import type { Transcript } from '../transcript.ts'

/** What `JSON.stringify(transcript)` would say, a segment at a time. */
export function* json({ segments, ...facts }: Transcript): Generator<string> {
  yield `${JSON.stringify(facts).slice(0, -1)},"segments":[`
  let separator = ''
  for (const segment of segments) {
    yield separator + JSON.stringify(segment)
    separator = ','
  }
  yield ']}'
}
