import { type Cue, maxNameCharacters } from '../cue.ts'

/**
 * `{"segments": [{"speaker", "startTime", "endTime", "body"}]}`. Some podcasts have a segment for each word, so short ones
 * of one speaker are joined up to the end of a sentence.
 */
export function* podcastCues(segments: unknown): Generator<Cue> {
  let joined = null as Cue | null
  for (const segment of Array.isArray(segments) ? segments : []) {
    const cue = cueOf(segment)
    if (!cue) continue
    if (joined && continues(joined, cue)) {
      joined = { ...joined, end: Math.max(joined.end, cue.end), text: `${joined.text} ${cue.text}` }
      continue
    }
    if (joined) yield joined
    joined = cue
  }
  if (joined) yield joined
}

const MAX_CHARACTERS = 80
const PAUSE_SECONDS = 1
const endsSentence = /[.!?…。！？]["'”’)]?$/

const continues = (before: Cue, next: Cue): boolean =>
  before.speaker === next.speaker &&
  next.start - before.end < PAUSE_SECONDS &&
  before.text.length + next.text.length < MAX_CHARACTERS &&
  !endsSentence.test(before.text)

const isName = (text: string): boolean => text !== '' && text.length <= maxNameCharacters

const cueOf = (segment: unknown): Cue | null => {
  if (segment === null || typeof segment !== 'object') return null
  const { startTime, endTime, body, speaker } = segment as Record<string, unknown>
  const [start, end] = [Number(startTime), Number(endTime)]
  const text = typeof body === 'string' ? body.trim() : ''
  if (text === '' || !(start >= 0 && end > start && end < Infinity)) return null
  const name = typeof speaker === 'string' ? speaker.trim() : ''
  return { start, end, text, ...(isName(name) && { speaker: name }) }
}
