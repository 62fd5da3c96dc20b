import { find, showError } from '../dom.js'

/** @import { ApiKey } from '../../types.js' */
/** @import { HaulApiError, KeyChanges } from '../haul-client.js' */

/**
 * The form that makes a key, or changes one.
 * @param {object} parts
 * @param {ApiKey} [parts.key] The key that is changed.
 * @param {(terms: KeyChanges) => Promise<void>} parts.onSave Gets what differs from the key, or all terms of a new one.
 * @param {() => void} parts.onClose
 */
export const createKeyForm = ({ key, onSave, onClose }) => {
  const template = find('#key-terms', HTMLTemplateElement)
  const form = find('form', HTMLFormElement, /** @type {DocumentFragment} */ (template.content.cloneNode(true)))
  const problem = find('.problem', HTMLElement, form)
  const save = find('.primary', HTMLButtonElement, form)
  save.textContent = key ? 'Save' : 'Make the key'
  form.setAttribute('aria-label', key ? `Change ${key.name ?? key.prefix}` : 'A new key')
  if (key) fillIn(form, key)
  const before = termsOf(form)

  const send = async () => {
    showError(problem)
    mark(form, [])
    const unread = [...form.querySelectorAll('input')].find(({ validity }) => validity.badInput)
    if (unread) {
      mark(form, [unread.name])
      const message = unread.type === 'date' ? 'Enter a whole date.' : 'Enter an amount of dollars.'
      return showError(problem, { message })
    }
    const terms = termsOf(form)
    const changed = key ? differing(before, terms) : terms
    if (Object.keys(changed).length === 0) return onClose()
    save.disabled = true
    try {
      await onSave(changed)
    } catch (error) {
      const { details = [] } = /** @type {Partial<HaulApiError>} */ (error)
      showError(problem, error)
      const names = details.map(({ path }) => path.split('.')[0] ?? '')
      mark(form, names)
    } finally {
      save.disabled = false
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send()
  })
  find('.close', HTMLButtonElement, form).addEventListener('click', onClose)
  return form
}

/** @param {HTMLFormElement} form @param {string} name */
const field = (form, name) =>
  /** @type {HTMLInputElement | HTMLTextAreaElement} */ (find(`[name="${name}"]`, HTMLElement, form))

/** @param {HTMLFormElement} form @param {ApiKey} key */
const fillIn = (form, { name, scopes, dollarsPerMonth, expiresAt, allowedOrigins }) => {
  field(form, 'name').value = name ?? ''
  field(form, 'dollarsPerMonth').value = `${dollarsPerMonth ?? ''}`
  field(form, 'expiresAt').value = expiresAt === null ? '' : dayOf(new Date(expiresAt))
  field(form, 'allowedOrigins').value = allowedOrigins.join('\n')
  for (const box of form.querySelectorAll('input'))
    if (box.name === 'scopes') box.checked = scopes.some((scope) => scope === box.value)
}

/** @param {HTMLFormElement} form @returns {KeyChanges} */
const termsOf = (form) => {
  const given = new FormData(form)
  const text = (/** @type {string} */ name) => `${given.get(name) ?? ''}`.trim()
  const [budget, day] = [text('dollarsPerMonth'), text('expiresAt')]
  const lines = text('allowedOrigins').split('\n')
  return {
    name: text('name'),
    scopes: /** @type {ApiKey['scopes']} */ (given.getAll('scopes')),
    dollarsPerMonth: budget === '' ? null : Number(budget),
    expiresAt: day === '' ? null : new Date(`${day}T23:59:59`).toISOString(),
    allowedOrigins: lines.map((line) => line.trim()).filter(Boolean),
  }
}

/** What is not sent stays as it is, such as a time of expiry that is not the end of a day. @param {KeyChanges} before @param {KeyChanges} after */
const differing = (before, after) => {
  const old = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name))),
  )
}

/** The day here, as fields have it: 2026-12-31. @param {Date} time */
const dayOf = (time) =>
  [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => `${part}`.padStart(2, '0')).join('-')

/** Marks the fields as wrong, and no others. The first one gets the focus. @param {HTMLFormElement} form @param {string[]} names */
const mark = (form, names) => {
  const isWrong = (/** @type {string} */ name) => names.includes(name)
  /** @type {(HTMLInputElement | HTMLTextAreaElement)[]} */
  const fields = [...form.querySelectorAll('input'), ...form.querySelectorAll('textarea')]
  for (const each of fields) each.setAttribute('aria-invalid', `${isWrong(each.name)}`)
  fields.find(({ name }) => isWrong(name))?.focus()
}
