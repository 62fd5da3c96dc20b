import { make, makeButton, scrollWithin } from '../dom.js'
import { position } from '../format.js'
import { createSearch } from './search.js'
import { createSpeakers } from './speakers.js'

/** @import { Chapter, Segment, Transcript } from '../../types.js' */
/** @import { Names } from './speaker-names.js' */

/** More lines make the page slow. The downloadable files have all of them. */
const MAX_LINES = 10_000

/**
 * A transcript with a search field, beside the media if it can be played here, and its speakers and chapters. The line that
 * is spoken is highlighted, and in it the word, if the transcript has words. A click on a line's time plays from there.
 * @param {Transcript} transcript
 * @param {HTMLMediaElement | null} media
 * @param {{names: Names, rename: (label: string, name: string) => Names}} naming
 */
export const transcriptReader = (transcript, media, naming) => {
  const titled = (transcript.chapters ?? []).filter(({ title }) => title.trim() !== '')
  const chapters = titled.toSorted((a, b) => a.start - b.start)
  const segments = transcript.segments.slice(0, MAX_LINES)
  const speakers = createSpeakers(transcript.segments, { ...naming, onRename: () => search.refresh() })
  const play = media && ((/** @type {number} */ start) => playFrom(media, start))
  const lines = segments.map((segment) => lineOf(segment, play, speakers))
  const search = createSearch(lines.map(textIn))
  const headings = headingsOf(chapters, segments)
  const properties = { className: 'words', tabIndex: 0, ariaLabel: 'Transcript' }
  const list = make('ol', properties, ...withHeadings(headings, lines))
  list.addEventListener('click', ({ target }) => speakers?.editAt(target))
  const rest = transcript.segments.length - segments.length
  if (rest > 0)
    list.append(make('li', { className: 'rest' }, `${rest} more lines. Export the transcript to read them.`))
  if (media) followSpeech(media, segments, lines, list)

  /** @param {Chapter} chapter */
  const goTo = (chapter) => {
    play?.(chapter.start)
    const heading = headings.get(chapter)?.heading ?? list.lastElementChild
    if (heading instanceof HTMLElement) scrollWithin(list, heading)
  }
  const parts = [media, speakers?.list, chapters.length > 0 ? createChapters(chapters, media, goTo) : null]
  const about = make('div', { className: 'stack about' }, ...parts.filter((part) => part instanceof HTMLElement))
  const text = make('div', { className: 'stack transcript' }, search.element, list)
  return make('div', { className: media ? 'reading beside' : 'reading' }, about, text)
}

/** @param {HTMLMediaElement} media @param {number} start */
const playFrom = (media, start) => {
  media.currentTime = start
  media.play().catch(() => {})
}

/** @param {HTMLElement} line */
const textIn = (line) => /** @type {HTMLElement} */ (line.lastElementChild)

/** @param {Segment} segment @param {((start: number) => void) | null} play @param {ReturnType<typeof createSpeakers>} speakers */
const lineOf = ({ start, text, speaker }, play, speakers) => {
  const time = make('time', {}, position(start))
  const words = make('span', { className: 'text' }, text)
  const said = speaker && speakers ? make('span', {}, speakers.nameBefore(speaker), ': ', words) : words
  if (!play) return make('li', {}, time, said)
  const button = make('button', { type: 'button', title: 'Play from here', onclick: () => play(start) }, time)
  return make('li', {}, button, said)
}

/** The chapters that have lines, each with its heading and the line after it. A line belongs to the chapter of its middle, as in files. @param {Chapter[]} chapters @param {Segment[]} segments */
const headingsOf = (chapters, segments) => {
  /** @type {Map<Chapter, {line: number, heading: HTMLElement}>} */
  const headings = new Map()
  for (const chapter of chapters) {
    const line = segments.findIndex(({ start, end }) => (start + end) / 2 >= chapter.start)
    if (line !== -1) headings.set(chapter, { line, heading: make('li', { className: 'chapter' }, chapter.title) })
  }
  return headings
}

/** @param {ReturnType<typeof headingsOf>} headings @param {HTMLElement[]} lines */
const withHeadings = (headings, lines) => {
  const byLine = Map.groupBy(headings.values(), ({ line }) => line)
  return lines.flatMap((line, index) => [...(byLine.get(index) ?? []).map(({ heading }) => heading), line])
}

/** The chapter at a time, or -1 before the first one. @param {Chapter[]} chapters @param {number} time */
export const chapterAt = (chapters, time) => chapters.findLastIndex(({ start }) => start <= time)

/**
 * The chapters as buttons. The one that plays is marked.
 * @param {Chapter[]} chapters
 * @param {HTMLMediaElement | null} media
 * @param {(chapter: Chapter) => void} onChoice
 */
const createChapters = (chapters, media, onChoice) => {
  const buttons = chapters.map((chapter) => {
    const button = makeButton('', () => onChoice(chapter))
    button.append(make('time', {}, position(chapter.start)), make('span', {}, chapter.title))
    return button
  })
  const items = buttons.map((button) => make('li', {}, button))
  const list = make('ol', { className: 'chapters', ariaLabel: 'Chapters' }, ...items)

  let current = -1
  media?.addEventListener('timeupdate', () => {
    const at = chapterAt(chapters, media.currentTime)
    if (at === current) return
    buttons[current]?.removeAttribute('aria-current')
    const button = buttons[at]
    button?.setAttribute('aria-current', 'true')
    if (button) scrollWithin(list, button)
    current = at
  })
  return list
}

/**
 * Highlights the line and the word that are spoken. Only that line is divided into words, so that the page stays fast with
 * a transcript of hours.
 * @param {HTMLMediaElement} media
 * @param {Segment[]} segments
 * @param {HTMLElement[]} lines
 * @param {HTMLElement} list
 */
const followSpeech = (media, segments, lines, list) => {
  let current = -1
  const light = () => {
    const at = indexAt(segments, media.currentTime)
    if (at !== current) {
      show(segments[current], lines[current], false)
      show(segments[at], lines[at], true)
      current = at
      const line = lines[at]
      if (line && !media.paused) scrollWithin(list, line)
    }
    lightWord(segments[current], lines[current], media.currentTime)
  }
  const frames = () => {
    light()
    if (!media.paused && media.isConnected) requestAnimationFrame(frames)
  }
  media.addEventListener('play', () => requestAnimationFrame(frames))
  media.addEventListener('timeupdate', light)
}

/** The segment at a time, or -1 between two. @param {Segment[]} segments @param {number} time */
const indexAt = (segments, time) => {
  let [low, high] = [0, segments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((segments[middle]?.start ?? 0) <= time) low = middle + 1
    else high = middle
  }
  const found = segments[low - 1]
  return found && time < found.end ? low - 1 : -1
}

/** @param {Segment | undefined} segment @param {HTMLElement | undefined} line @param {boolean} isLit */
const show = (segment, line, isLit) => {
  if (!segment || !line) return
  line.toggleAttribute('data-now', isLit)
  const text = line.querySelector('.text')
  if (!segment.words || !text) return
  text.replaceChildren(...(isLit ? wordsOf(segment) : [segment.text]))
}

/** The words where they are in the text of the segment, so that its spaces and punctuation stay. @param {Segment} segment */
const wordsOf = ({ text, words = [] }) => {
  /** @type {(string | HTMLElement)[]} */
  const parts = []
  let at = 0
  for (const word of words) {
    const found = text.indexOf(word.text, at)
    if (found === -1) continue
    parts.push(text.slice(at, found))
    const span = make('span', { className: 'word' }, word.text)
    span.dataset.start = `${word.start}`
    parts.push(span)
    at = found + word.text.length
  }
  return [...parts, text.slice(at)]
}

/** @param {Segment | undefined} segment @param {HTMLElement | undefined} line @param {number} time */
const lightWord = (segment, line, time) => {
  if (!segment?.words || !line) return
  for (const span of line.querySelectorAll('.word'))
    if (span instanceof HTMLElement) span.toggleAttribute('data-said', Number(span.dataset.start) <= time)
}
