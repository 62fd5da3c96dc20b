import { decodeHTMLStrict } from 'entities'

/**
 * Tags of WebVTT, SubRip and the leftovers of ASS. Each pattern stops at the next opening mark, so that a
 * line of nothing but those costs one step per character. `I <3 you` is not a tag.
 */
const tag = /<(?:\/?[a-z][^<>]*|\/|[\d:.]+)?>/gi
const override = /\{\\[^{}]*\}/g
const voice = /^<v(?:\.[^\s>]*)?\s([^>]*)>$/i
const lineBreak = /^<br\s?\/?>$/i

const longestName = 100

/** Text without its markup, and who says it if it is one person. Tags go first: `&lt;i&gt;` is text. */
export const strip = (marked: string): { text: string; speaker?: string } => {
  const speakers = new Set<string>()
  const bare = marked.replace(override, '').replace(tag, (found) => {
    const name = voice.exec(found)?.[1]?.trim()
    if (name) speakers.add(name)
    return lineBreak.test(found) ? '\n' : ''
  })
  const text = entitiesDecoded(bare)
  const [speaker, another] = speakers
  if (speaker === undefined || another !== undefined || speaker.length > longestName) return { text }
  return { text, speaker: entitiesDecoded(speaker) }
}

const entitiesDecoded = (text: string) => (text.includes('&') ? decodeHTMLStrict(text) : text)
