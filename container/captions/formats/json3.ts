import type { Cue } from '../cue.ts'

/** YouTube's format: plain text, times in milliseconds that are sometimes strings. */
interface Json3Event {
  tStartMs?: number | string
  dDurationMs?: number | string
  /** The event appends to the line on screen. Its text is repeated in a separate event. */
  aAppend?: unknown
  segs?: { utf8?: unknown }[]
}

export function* json3Cues(json: string): Generator<Cue> {
  for (const event of eventsIn(json)) {
    if (!event || event.aAppend || !Array.isArray(event.segs)) continue
    const text = event.segs.map((seg) => (typeof seg?.utf8 === 'string' ? seg.utf8 : '')).join('')
    const start = Number(event.tStartMs ?? 0) / 1000
    const end = start + Number(event.dDurationMs ?? 0) / 1000
    if (text.trim() !== '' && start >= 0 && end > start && end < Infinity) yield { start, end, text }
  }
}

const eventsIn = (json: string): (Json3Event | null)[] => {
  try {
    const parsed: unknown = JSON.parse(json)
    const events = parsed && typeof parsed === 'object' && 'events' in parsed ? parsed.events : null
    return Array.isArray(events) ? events : []
  } catch {
    return []
  }
}
