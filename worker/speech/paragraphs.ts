import type { Chapter } from '../../domain/protocol/protocol.ts'
import type { Segment } from '../../domain/words/segment.ts'
import { collapse, pauseAfter, seam } from '../../domain/words/writing.ts'
import type { AboutTranscript, Layout, Segments } from './transcript-layout.ts'

/** Paragraphs separated by an empty line. A chapter's title is a paragraph. */
export async function* txt(segments: Segments, layout: Layout, about: AboutTranscript): AsyncGenerator<string> {
  yield* written(segments, layout.chapters ? about.chapters : [], {
    heading: (title) => title,
    paragraph: ({ speaker }) => (layout.speakers && speaker ? `${speaker}: ` : ''),
    text: (text) => text,
  })
}

/** Paragraphs with the time of their start, under the title of the media and the titles of its chapters. */
export async function* markdown(segments: Segments, layout: Layout, about: AboutTranscript): AsyncGenerator<string> {
  const title = escapeMarkdown(collapse(about.title ?? ''))
  if (title !== '') yield `# ${title}\n\n`
  yield* written(segments, layout.chapters ? about.chapters : [], {
    heading: (title) => `## ${escapeMarkdown(title)}`,
    paragraph: ({ start, speaker }) => {
      const name = layout.speakers && speaker ? ` ${escapeMarkdown(speaker)}:` : ''
      return `**[${clock(start)}]${name}** `
    },
    text: escapeMarkdown,
  })
}

interface Style {
  heading: (title: string) => string
  /** What precedes its text. */
  paragraph: (first: Segment) => string
  text: (text: string) => string
}

async function* written(segments: Segments, chapters: Chapter[], style: Style): AsyncGenerator<string> {
  const chaptersUntil = chapterReader(chapters)
  let previous: Segment | undefined
  let characters = 0
  let separator = ''
  for await (const segment of segments) {
    const headings = chaptersUntil(segment)
    if (previous && headings.length === 0 && !startsParagraph(previous, segment, characters)) {
      yield style.text(seam(previous.text, segment.text) + segment.text)
    } else {
      for (const { title } of headings) {
        yield separator + style.heading(title)
        separator = '\n\n'
      }
      yield separator + style.paragraph(segment) + style.text(segment.text)
      separator = '\n\n'
      characters = 0
    }
    characters += segment.text.length
    previous = segment
  }
  if (previous) yield '\n'
}

const PARAGRAPH_PAUSE_SECONDS = 2
/** Captions may have no pauses at all. A paragraph of this length ends after its current sentence. */
const LONG_PARAGRAPH_CHARACTERS = 600

/** `characters`: how long the paragraph of the previous segment is so far. */
export const startsParagraph = (previous: Segment, segment: Segment, characters: number) =>
  previous.speaker !== segment.speaker ||
  segment.start - previous.end >= PARAGRAPH_PAUSE_SECONDS ||
  (characters >= LONG_PARAGRAPH_CHARACTERS && pauseAfter(lastWord(previous.text), segment.text) === 'sentence')

const lastWord = (text: string) => text.slice(text.lastIndexOf(' ') + 1)

/**
 * Returns the chapters that begin with a segment. A segment belongs to the chapter of its middle, because chapters do
 * not begin exactly with a sentence. A chapter that ended before, such as one outside of a clip, has no text.
 */
const chapterReader = (chapters: Chapter[]) => {
  const named = chapters.map(({ title, ...times }) => ({ ...times, title: collapse(title) }))
  const waiting = named.filter(({ title }) => title !== '').sort((a, b) => a.startSeconds - b.startSeconds)
  let next = 0
  return ({ start, end }: Segment): Chapter[] => {
    const from = next
    while ((waiting[next]?.startSeconds ?? Infinity) <= (start + end) / 2) next++
    return waiting.slice(from, next).filter(({ endSeconds }) => endSeconds > start)
  }
}

/** `1:02:03`, or `2:03` within the first hour. */
export const clock = (seconds: number): string => {
  const twoDigits = (value: number) => `${value}`.padStart(2, '0')
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(whole % 60)}` : `${minutes}:${twoDigits(whole % 60)}`
}

/** Also what only some programs treat as markup: `~` for strikethrough, `$` for formulas, `|` for tables. */
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>#~$|&]/g, '\\$&')
