import type { Transcript } from '../transcript.ts'
import { type Card, cards, clockTime } from './screen.ts'

/** WebVTT as browsers want it; speakers are voice spans. */
export function* vtt({ segments }: Transcript): Generator<string> {
  yield 'WEBVTT\n'
  for (const card of cards(segments)) yield `\n${cue(card)}\n`
}

const cue = ({ startMs, endMs, lines, speaker }: Card) => {
  const time = `${clockTime(startMs, '.')} --> ${clockTime(endMs, '.')}`
  const voice = speaker ? `<v ${escaped(speaker)}>` : ''
  return `${time}\n${voice}${lines.map(escaped).join('\n')}`
}

/** `<` would begin a tag, `&` an entity, and `-->` would end the cue. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
