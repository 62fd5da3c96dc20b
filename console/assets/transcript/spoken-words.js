import { make, scrollWithin } from '../dom.js'

/** @import { Segment } from '../../types.js' */

/**
 * Highlights the line and the word that are spoken. Only that line is divided into words, so that the page stays fast with
 * a transcript of hours.
 * @param {HTMLMediaElement} media
 * @param {Segment[]} segments
 * @param {HTMLElement[]} lines
 * @param {HTMLElement} list
 */
export const followSpeech = (media, segments, lines, list) => {
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
