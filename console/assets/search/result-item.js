import { make, makeButton } from '../dom.js'
import { hostOf, languageName, position } from '../format.js'
import { namesOf } from '../transcript/speaker-names.js'
import { partsOf } from './marked.js'
import { importOf, pageOf, resultTitle } from './result-facts.js'

/** @import { SearchResult } from '../../types.js' */

/**
 * A place where something was said. A click plays it from there, or opens its page if its file is not here.
 * @param {SearchResult} result
 * @param {{play: (result: SearchResult, stage: HTMLElement) => void, showJob: (jobId: string) => void}} handlers
 */
export const resultItem = (result, { play, showJob }) => {
  const { jobId, start, snippet, matches, language, title } = result
  const name = resultTitle(result)
  const marked = partsOf(snippet, matches).map(({ text, isMatch }) => (isMatch ? make('mark', {}, text) : text))
  // A match in the title is a result whose text is the title.
  const isTitle = snippet === title
  const stage = make('div', { className: 'found-stage' })
  const time = position(start)
  const page = pageOf(result)
  const at = importOf(result)
    ? makeButton(time, () => play(result, stage), { className: 'at', ariaLabel: `Play from ${time}: ${name}` })
    : page
      ? linkTo(page, time, { className: 'at', ariaLabel: `Open at ${time}: ${name}` })
      : make('span', { className: 'at' }, time)
  const words = make(
    'p',
    { className: 'found-words', dir: 'auto', lang: tagOf(language) },
    ...saidBy(result),
    ...marked,
  )
  const className = `card-title${isTitle ? ' whole' : ''}`
  const heading = make('h3', { className, dir: 'auto', title: name }, ...(isTitle ? marked : [name]))
  const facts = [
    ...(page ? [linkTo(page, hostOf(page), { ariaLabel: `${hostOf(page)}: ${name}` })] : []),
    ...(tagOf(language) ? [languageName(language)] : []),
  ]
  const about = make(
    'div',
    { className: 'row found-about' },
    make('p', { className: 'card-facts' }, ...facts.map((fact) => make('span', {}, fact))),
    makeButton('Show job', () => showJob(jobId), { className: 'quiet', ariaLabel: `Show job: ${name}` }),
  )
  const element = make('li', { className: 'card found-item' }, at, heading, ...(isTitle ? [] : [words]), about, stage)
  element.addEventListener('click', ({ target }) => {
    const isText = target instanceof Element && target.closest('.found-words, .card-title')
    if (isText && getSelection()?.isCollapsed !== false) at.click()
  })
  return element
}

/** @param {SearchResult} result */
const saidBy = ({ jobId, speaker }) =>
  speaker ? [make('b', { dir: 'auto' }, namesOf(jobId).get(speaker) ?? speaker), ': '] : []

/** Of a language that is not known, none. @param {string} language */
const tagOf = (language) => (language === 'und' ? '' : language)

/** @param {string} href @param {string} text @param {Parameters<typeof make<'a'>>[1]} properties */
export const linkTo = (href, text, properties) =>
  make('a', { href, target: '_blank', rel: 'noopener', ...properties }, text)
