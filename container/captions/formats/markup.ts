import { decodeHTMLStrict } from 'entities'
import { maxNameCharacters } from '../cue.ts'

/**
 * Tags of WebVTT and SubRip, and ASS overrides that conversion left behind. Each pattern stops at the next opening
 * bracket, so a line that contains only brackets takes linear time. `I <3 you` is not a tag.
 */
const tag = /<(?:\/?[a-z][^<>]*|\/|[\d:.]+)?>/gi
const override = /\{\\[^{}]*\}/g
const voice = /^<v(?:\.[^\s>]*)?\s([^>]*)>$/i
const lineBreak = /^<br\s?\/?>$/i

/** The speaker if there is exactly one. Tags are removed before entities are decoded: `&lt;i&gt;` is text. */
export const stripMarkup = (marked: string): { text: string; speaker?: string } => {
  const speakers = new Set<string>()
  const untagged = marked.replace(override, '').replace(tag, (match) => {
    const name = voice.exec(match)?.[1]?.trim()
    if (name) speakers.add(name)
    return lineBreak.test(match) ? '\n' : ''
  })
  const text = decodeEntities(untagged)
  const [speaker, another] = speakers
  if (speaker === undefined || another !== undefined || speaker.length > maxNameCharacters) return { text }
  return { text, speaker: decodeEntities(speaker) }
}

export const decodeEntities = (text: string) => (text.includes('&') ? decodeHTMLStrict(text) : text)
