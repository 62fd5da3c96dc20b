import sax from 'sax'
import { partsOf } from '../../../domain/words/segment.ts'
import { CaptionsTooLarge, type Cue, maxCues, maxNameCharacters } from '../cue.ts'
import { refuseTooManyTags } from './ttml.ts'

/**
 * Transcripts of podcasts: `<cite>Kevin:</cite> <time>0:30</time> <p>What he says.</p>`. A paragraph begins at the time
 * before it, and ends where the next one begins. Those without a time belong to the one before.
 */
export function* htmlCues(html: string): Generator<Cue> {
  refuseTooManyTags(html)
  const paragraphs = paragraphsIn(html)
  for (const [index, { start, texts, speaker }] of paragraphs.entries()) {
    const next = paragraphs[index + 1]
    const text = texts.join(' ')
    const end = next && next.start > start ? next.start : start + spokenSeconds(text)
    if (text !== '') yield* partsOf({ start, end, text, ...(speaker && { speaker }) }, MAX_CHARACTERS)
  }
}

interface Paragraph {
  start: number
  speaker: string
  texts: string[]
}

/** Paragraphs of minutes are cut, and the parts share the time by their lengths. */
const MAX_CHARACTERS = 400

/** How long the last one takes, which nothing states: about 150 words a minute. */
const CHARACTERS_PER_SECOND = 15
const spokenSeconds = (text: string): number => Math.max(1, text.length / CHARACTERS_PER_SECOND)

/** Real files nest about five levels. To close a tag takes time in proportion to its depth. */
const MAX_DEPTH = 100
class TooDeep extends Error {}
const notShown = new Set(['script', 'style', 'head', 'title'])

const paragraphsIn = (html: string): Paragraph[] => {
  const paragraphs: Paragraph[] = []
  const path: string[] = []
  let speaker = ''
  let content = ''
  const parser = sax.parser(false, { lowercase: true, noscript: true, trim: false })
  parser.onopentag = ({ name }) => {
    if (path.push(name) > MAX_DEPTH) throw new TooDeep()
    if (name === 'br') content += ' '
    if (name === 'p' || name === 'time' || name === 'cite') content = ''
  }
  parser.onclosetag = (name) => {
    const text = content.replace(/\s+/g, ' ').trim()
    if (name === 'cite') speaker = text.replace(/:$/, '').slice(0, maxNameCharacters)
    const start = name === 'time' ? secondsOf(text) : null
    if (start !== null && paragraphs.push({ start, speaker, texts: [] }) > maxCues) {
      throw new CaptionsTooLarge(`more than ${maxCues} cues`)
    }
    if (name === 'p' && text !== '') paragraphs.at(-1)?.texts.push(text)
    if (name === 'p' || name === 'time' || name === 'cite') content = ''
    path.pop()
  }
  parser.ontext = (part) => {
    if (!path.some((name) => notShown.has(name))) content += part
  }
  parser.onerror = () => parser.resume()
  try {
    // Within one element, because the parser takes all that follows the first one as text.
    parser.write(`<body>${html}`).close()
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    return []
  }
  return paragraphs
}

const secondsOf = (text: string): number | null => {
  if (!/^\d{1,5}(:\d{1,2}){1,2}(\.\d{1,3})?$/.test(text)) return null
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0)
}
