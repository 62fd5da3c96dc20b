import { announce, make } from '../dom.js'
import { percent } from '../format.js'
import { MOST_CHARACTERS } from './speaker-names.js'

/** @import { Segment } from '../../types.js' */
/** @import { Names } from './speaker-names.js' */

/** transcript.css has this many. Further speakers reuse them, and are told apart by their names. */
const COLOURS = 6

/** Who speaks, in the order of the first words, and the share of the time spoken. @param {Segment[]} segments */
export const speakersIn = (segments) => {
  /** @type {Map<string, number>} */
  const spoken = new Map()
  for (const { speaker, start, end } of segments)
    if (speaker) spoken.set(speaker, (spoken.get(speaker) ?? 0) + end - start)
  const total = [...spoken.values()].reduce((sum, seconds) => sum + seconds, 0)
  return [...spoken].map(([label, seconds], index) => ({
    label,
    colour: (index % COLOURS) + 1,
    share: total > 0 ? seconds / total : 0,
  }))
}

/**
 * The list of speakers, and their names before the lines. A click on a name changes it everywhere. null: nobody is named.
 * @param {Segment[]} segments
 * @param {{names: Names, rename: (label: string, name: string) => Names, onRename: () => void}} handlers
 */
export const createSpeakers = (segments, { names, rename, onRename }) => {
  const speakers = speakersIn(segments)
  if (speakers.length === 0) return null
  const colours = new Map(speakers.map(({ label, colour }) => [label, colour]))
  /** Every element that shows a name. @type {Map<string, HTMLElement[]>} */
  const shown = new Map(speakers.map(({ label }) => [label, []]))
  const nameOf = (/** @type {string} */ label) => names.get(label) ?? label

  /** @template {HTMLElement} T @param {string} label @param {T} element */
  const named = (label, element) => {
    element.textContent = nameOf(label)
    element.title = 'Rename this speaker'
    element.dataset.speaker = label
    element.style.setProperty('--speaker', `var(--speaker-${colours.get(label)})`)
    shown.get(label)?.push(element)
    return element
  }

  /** @param {string} label @param {string} name */
  const change = (label, name) => {
    const before = nameOf(label)
    names = rename(label, name)
    if (nameOf(label) === before) return
    for (const element of shown.get(label) ?? []) element.textContent = nameOf(label)
    onRename()
    announce(`${before} is now ${nameOf(label)}.`)
  }

  /** @param {HTMLElement} element */
  const edit = (element) => {
    const { speaker: label = '' } = element.dataset
    const field = { ariaLabel: `Name of speaker ${label}`, value: names.get(label) ?? '', placeholder: label }
    editInPlace(element, field, (name) => change(label, name))
  }

  const items = speakers.map(({ label, share }) => {
    const button = named(label, make('button', { type: 'button' }))
    button.addEventListener('click', () => edit(button))
    return make('li', {}, button, make('small', {}, percent(share)))
  })
  const list = make('ol', { className: 'row speakers', ariaLabel: 'Speakers' }, ...items)
  return {
    list,
    /** The name before a line. It is for pointers only: with a keyboard, names are changed in the list. @param {string} label */
    nameBefore: (label) => named(label, make('b', {})),
    /** @param {EventTarget | null} target What was clicked in a line. */
    editAt: (target) => {
      if (target instanceof HTMLElement && target.dataset.speaker !== undefined) edit(target)
    },
  }
}

/**
 * A field in the place of a name. Enter and leaving it save, Escape does not.
 * @param {HTMLElement} element
 * @param {{ariaLabel: string, value: string, placeholder: string}} given
 * @param {(name: string) => void} onName
 */
const editInPlace = (element, given, onName) => {
  const properties = { className: 'name-field', maxLength: MOST_CHARACTERS, size: 12, ...given }
  const field = make('input', { autocomplete: 'off', ...properties })
  let isOpen = true
  /** @param {boolean} isSaved */
  const close = (isSaved) => {
    if (!isOpen) return
    isOpen = false
    const hadFocus = document.activeElement === field
    element.hidden = false
    field.remove()
    const next = element.closest('button, [tabindex]')
    if (hadFocus && next instanceof HTMLElement) next.focus({ preventScroll: true })
    if (isSaved) onName(field.value)
  }
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    event.preventDefault()
    event.stopPropagation()
    close(event.key === 'Enter')
  })
  field.addEventListener('blur', () => close(true))
  element.hidden = true
  element.after(field)
  field.select()
  field.focus()
}
