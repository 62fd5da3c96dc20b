import { find, make } from '../dom.js'
import { capitalized } from '../format.js'

/** @import { StartField } from '../../types.js' */

/** The outputs that the fields of a start belong to. An import has a transcript too, if it is asked for one. */
const outputs = {
  import: 'video audio silent',
  words: 'transcript',
  transcribe: 'transcript',
  batch: 'video audio silent transcript',
  watch: 'video audio silent transcript tell',
}

/** Adds the inputs of the options that the API has. @param {HTMLFormElement} form @param {readonly StartField[]} fields */
export const addStartFields = (form, fields) => {
  /** @type {Map<string, HTMLLabelElement>} */
  const labels = new Map()
  for (const field of fields) {
    const { for: outputsOfField = outputs[field.start], isMoney, isAlso, isMore, ...conditions } = field.shown ?? {}
    const key = `${field.name} ${field.value ?? ''}`
    const known = labels.get(key)
    if (known) {
      known.dataset.for += ` ${outputsOfField}`
      continue
    }
    const label = labelOf(field)
    Object.assign(label.dataset, { for: outputsOfField, ...conditions, ...(isMoney && { money: '' }) })
    labels.set(key, label)
    const row = outputsOfField === 'transcript' ? '.words-options' : '.media-options'
    find(isAlso ? '.also' : isMore ? '.more-options .options' : row, HTMLElement, form).append(label)
  }
}

/** @param {StartField} field */
const labelOf = (field) => {
  const input = inputOf(field)
  input.name = field.name
  const look = input.type === 'checkbox' ? 'check' : field.type === 'speakers' ? 'narrow' : (field.look ?? '')
  const parts = look === 'check' ? [input, field.label] : [field.label, input]
  return make('label', { className: `field ${look}` }, ...parts)
}

/** @param {StartField} field */
const inputOf = ({ type, look, part, choices, labels, chosen, max, value = 'on', placeholder = '' }) => {
  if (choices && look !== 'check') return selectOf(choices, labels, chosen)
  const plain = { placeholder, autocomplete: /** @type {const} */ ('off'), spellcheck: false, autocapitalize: 'none' }
  if (type === 'boolean' || look === 'check') return make('input', { type: 'checkbox', value })
  if (look === 'wide' && (type === 'list' || type === 'text'))
    return make('textarea', { ...plain, spellcheck: type === 'text', ...(type === 'text' && { maxLength: max ?? -1 }) })
  if (type === 'dollars')
    return make('input', { type: 'number', min: '0.01', step: '0.01', inputMode: 'decimal', placeholder })
  if (type === 'integer' || (part && type === 'speakers') || (type === 'watchFilter' && look !== 'wide'))
    return make('input', { type: 'number', min: '1', max: `${max ?? ''}`, inputMode: 'numeric', placeholder })
  return make('input', { ...plain, type: type === 'url' ? 'url' : type === 'providerKey' ? 'password' : 'text' })
}

/** A choice without a label shows its value, capitalized. @param {readonly string[]} choices @param {readonly string[] | undefined} labels @param {unknown} chosen */
const selectOf = (choices, labels = [], chosen) => {
  const options = choices.map((value, index) => {
    const text = labels[index] ?? capitalized(value)
    return make('option', { value, selected: value === `${chosen}` }, text)
  })
  return make('select', {}, ...options)
}
