import { make } from './dom.js'
import { position } from './format.js'
import { createSearch } from './transcript-search.js'

/** @import { Segment, Transcript } from '../types.js' */

/** More lines make the page slow. The downloadable files have all of them. */
const MAX_LINES = 10_000

/**
 * A transcript with a search field, beside the media if it can be played here. The line that is spoken is highlighted,
 * and in it the word, if the transcript has words. A click on a line's time plays from there.
 * @param {Transcript} transcript
 * @param {HTMLMediaElement | null} media
 */
export const transcriptReader = (transcript, media) => {
  const segments = transcript.segments.slice(0, MAX_LINES)
  const lines = segments.map((segment) => lineOf(segment, media))
  const rest = transcript.segments.length - segments.length
  const list = make('ol', { className: 'words', tabIndex: 0 }, ...withHeadings(transcript, segments, lines))
  list.setAttribute('aria-label', 'Transcript')
  if (rest > 0) list.append(make('li', { className: 'rest' }, `${rest} more lines. Download the file to read them.`))
  const text = make('div', { className: 'transcript' }, createSearch(lines.map(textIn)), list)
  if (media) follow(media, segments, lines, list)
  return make('div', { className: media ? 'reading beside' : 'reading' }, ...(media ? [media] : []), text)
}

/** @param {HTMLElement} line */
const textIn = (line) => /** @type {HTMLElement} */ (line.lastElementChild)

/** @param {Segment} segment @param {HTMLMediaElement | null} media */
const lineOf = ({ start, text, speaker }, media) => {
  const time = make('time', {}, position(start))
  const words = make('span', { className: 'text' }, text)
  const said = speaker ? make('span', {}, make('b', {}, `${speaker}: `), words) : words
  if (!media) return make('li', {}, time, said === words ? words : said)
  const play = make('button', { type: 'button', title: 'Play from here' }, time)
  play.addEventListener('click', () => {
    media.currentTime = start
    media.play().catch(() => {})
  })
  return make('li', {}, play, said)
}

/** Chapters as headings before the first line that starts in them. @param {Transcript} transcript @param {Segment[]} segments @param {HTMLElement[]} lines */
const withHeadings = ({ chapters = [] }, segments, lines) => {
  const waiting = [...chapters]
  return lines.flatMap((line, index) => {
    const headings = []
    const start = segments[index]?.start ?? 0
    while (waiting[0] && waiting[0].start <= start) {
      headings.push(make('li', { className: 'chapter' }, waiting[0].title))
      waiting.shift()
    }
    return [...headings, line]
  })
}

/**
 * Highlights the line and the word that are spoken. Only that line is divided into words, so that the page stays fast with
 * a transcript of hours.
 * @param {HTMLMediaElement} media
 * @param {Segment[]} segments
 * @param {HTMLElement[]} lines
 * @param {HTMLElement} list
 */
const follow = (media, segments, lines, list) => {
  let current = -1
  const light = () => {
    const at = indexAt(segments, media.currentTime)
    if (at !== current) {
      show(segments[current], lines[current], false)
      show(segments[at], lines[at], true)
      current = at
      const line = lines[at]
      if (line && !media.paused) scrollTo(list, line)
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

/** Within the list only: the page stays where the reader has scrolled it. @param {HTMLElement} list @param {HTMLElement} line */
const scrollTo = (list, line) => {
  const top = line.offsetTop - list.offsetTop - list.clientHeight / 3
  list.scrollTo({ top, behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })
}
