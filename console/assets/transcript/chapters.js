import { make, makeButton } from '../dom.js'
import { position } from '../format.js'
import { scrollWithin } from './scroll-within.js'

/** @import { Chapter } from '../../types.js' */

/** The chapter at a time, or -1 before the first one. @param {Chapter[]} chapters @param {number} time */
export const chapterAt = (chapters, time) => chapters.findLastIndex(({ start }) => start <= time)

/**
 * The chapters as buttons. The one that plays is marked.
 * @param {Chapter[]} chapters
 * @param {HTMLMediaElement | null} media
 * @param {(chapter: Chapter) => void} onChoice
 */
export const createChapters = (chapters, media, onChoice) => {
  const buttons = chapters.map((chapter) => {
    const button = makeButton('', () => onChoice(chapter))
    button.append(make('time', {}, position(chapter.start)), make('span', {}, chapter.title))
    return button
  })
  const list = make('ol', { className: 'chapters' }, ...buttons.map((button) => make('li', {}, button)))
  list.setAttribute('aria-label', 'Chapters')

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
