import type { Cue } from './cue.ts'

/** YouTube's own: plain text, times in milliseconds that are sometimes strings. */
interface Event {
  tStartMs?: number | string
  dDurationMs?: number | string
  /** Appends to the line on screen; the same words come again in an event of their own. */
  aAppend?: unknown
  segs?: { utf8?: unknown }[]
}

export function* json3Cues(text: string): Generator<Cue> {
  for (const event of events(text)) {
    if (!event || event.aAppend || !Array.isArray(event.segs)) continue
    const said = event.segs.map((seg) => (typeof seg?.utf8 === 'string' ? seg.utf8 : '')).join('')
    const start = Number(event.tStartMs ?? 0) / 1000
    const end = start + Number(event.dDurationMs ?? 0) / 1000
    if (said.trim() !== '' && start >= 0 && end > start && end < Infinity) yield { start, end, text: said }
  }
}

const events = (text: string): (Event | null)[] => {
  try {
    const parsed: unknown = JSON.parse(text)
    const found = parsed && typeof parsed === 'object' && 'events' in parsed ? parsed.events : null
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
