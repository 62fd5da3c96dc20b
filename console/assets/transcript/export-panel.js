import { make, makeButton } from '../dom.js'
import { capitalized } from '../format.js'

/** @import { FileChoice } from '../../types.js' */

/** What a transcript and its files may contain. @typedef {'speakers' | 'chapters' | 'words'} Part */
/** @typedef {{format: string, name: string, always: Part[], asked: Part[]}} Format `asked`: only if it is chosen. */

/** @type {Format[]} */
const formats = [
  { format: 'txt', name: 'Plain text', always: [], asked: ['speakers', 'chapters'] },
  { format: 'md', name: 'Markdown', always: [], asked: ['speakers', 'chapters'] },
  { format: 'srt', name: 'SubRip subtitles', always: [], asked: ['speakers'] },
  { format: 'vtt', name: 'WebVTT subtitles', always: [], asked: ['speakers'] },
  { format: 'tsv', name: 'Table', always: ['speakers'], asked: [] },
  { format: 'json', name: 'JSON', always: ['speakers', 'chapters', 'words'], asked: [] },
]

/** @type {Record<Part, string>} */
const partNames = { speakers: 'speakers', chapters: 'chapters', words: 'times of words' }

/** What a file of a format contains, in words. @param {Format} format @param {Part[]} parts Of the transcript @param {Part[]} chosen */
const contentsOf = ({ format, always, asked }, parts, chosen) => {
  const has = parts.filter((part) => always.includes(part) || (asked.includes(part) && chosen.includes(part)))
  const names = has.map((part) => partNames[part])
  const last = names.pop()
  if (last === undefined) return `.${format}`
  return `.${format}, with ${names.length > 0 ? `${names.join(', ')} and ` : ''}${last}`
}

/**
 * The formats of a transcript as buttons, under a choice of what the files have of it.
 * @param {Part[]} parts Of the transcript
 * @param {{save: (choice: FileChoice) => void, copy: (choice: FileChoice) => void}} handlers
 */
export const exportPanel = (parts, { save, copy }) => {
  const boxes = parts
    .filter((part) => part !== 'words')
    .map((part) => make('input', { type: 'checkbox', name: part, checked: true }))
  const chosen = () => parts.filter((part) => boxes.some(({ name, checked }) => checked && name === part))
  /** @param {string} format */
  const choice = (format) => {
    const has = chosen()
    return { format, speakers: has.includes('speakers'), chapters: has.includes('chapters') }
  }

  const buttons = formats.map((format) => {
    const button = makeButton('', () => save(choice(format.format)))
    return { button, draw: () => drawButton(button, format.name, contentsOf(format, parts, chosen())) }
  })
  const toClipboard = makeButton('', () => copy(choice('txt')))
  drawButton(toClipboard, 'Copy', 'as plain text')
  const draw = () => {
    for (const button of buttons) button.draw()
  }
  draw()

  const legend = make('legend', { className: 'unseen' }, 'Include')
  const labels = boxes.map((box) => make('label', { className: 'check' }, box, capitalized(box.name)))
  const options = make('fieldset', { className: 'row', onchange: draw }, legend, ...labels)
  const note =
    'The names that you give to speakers stay in this browser, which writes them into these files. Files that others download have the original ones.'
  return make(
    'div',
    { className: 'export stack panel' },
    ...(boxes.length > 0 ? [options] : []),
    make('div', { className: 'tiles' }, ...buttons.map(({ button }) => button), toClipboard),
    ...(parts.includes('speakers') ? [make('p', { className: 'note' }, note)] : []),
  )
}

/** @param {HTMLElement} button @param {string} name @param {string} contents */
const drawButton = (button, name, contents) =>
  button.replaceChildren(make('span', {}, name), ' ', make('small', {}, contents))
