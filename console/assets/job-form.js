import { find, showError } from './dom.js'

/** @typedef {{path: '/import' | '/transcribe', body: Record<string, unknown>}} StartRequest */

const form = find('#job-form', HTMLFormElement)
const url = find('#url', HTMLInputElement)
const problem = find('#job-form-problem', HTMLElement)
const buttons = form.querySelectorAll('button')

/** @param {string} name */
const fieldValue = (name) => `${new FormData(form).get(name) ?? ''}`.trim()

/** Shows only the fields that belong to the chosen output. */
const showFields = () => {
  const [what, provider] = [fieldValue('what'), fieldValue('provider')]
  for (const field of form.querySelectorAll('.field')) {
    if (!(field instanceof HTMLElement)) continue
    const { for: fors = '', provider: providers = provider } = field.dataset
    field.hidden = !fors.split(' ').includes(what) || !providers.split(' ').includes(provider)
  }
}

/** The request that the form describes. @returns {StartRequest} */
const read = () => {
  const what = fieldValue('what')
  if (what === 'transcript') return { path: '/transcribe', body: transcribeBody() }
  const body = { url: url.value.trim(), includeVideo: what !== 'audio', includeAudio: what !== 'silent' }
  const quality = what === 'audio' ? 'audioQuality' : 'videoQuality'
  return { path: '/import', body: { ...body, [quality]: fieldValue(quality) } }
}

const transcribeBody = () => {
  const [provider, language, most, apiKey] = ['provider', 'language', 'maxCostDollars', 'apiKey'].map(fieldValue)
  return {
    url: url.value.trim(),
    ...(provider ? { provider } : {}),
    ...(language ? { language } : {}),
    ...(provider === 'builtin' && most ? { maxCostDollars: Number(most) } : {}),
    ...(provider && provider !== 'builtin' && apiKey ? { apiKey } : {}),
  }
}

/**
 * Checks the URL before the API is called. @returns {boolean}
 */
const isFilled = () => {
  const parsed = URL.parse(url.value.trim())
  const fine = parsed !== null && /^https?:$/.test(parsed.protocol)
  url.setAttribute('aria-invalid', `${!fine}`)
  if (fine) return true
  showError(problem, { message: 'Enter a web address that begins with https:// or http://.' })
  url.focus()
  return false
}

/**
 * The form that starts jobs.
 * @param {{onStart: (request: StartRequest) => Promise<void>, onPreview: (url: string) => Promise<void>}} handlers
 */
export const openForm = ({ onStart, onPreview }) => {
  /** @param {() => Promise<void>} work */
  const during = async (work) => {
    showError(problem)
    if (!isFilled()) return
    for (const button of buttons) button.disabled = true
    try {
      await work()
    } catch (error) {
      showError(problem, error)
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    during(() => onStart(read()))
  })
  find('#preview', HTMLButtonElement).addEventListener('click', () => during(() => onPreview(url.value.trim())))
  form.addEventListener('change', showFields)
  url.addEventListener('input', () => url.removeAttribute('aria-invalid'))
  showFields()
}

/**
 * Fills the form in.
 * @param {Record<string, string>} values
 */
export const fillIn = (values) => {
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name)
    if (field instanceof RadioNodeList || field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
      field.value = value
  }
  showFields()
}

/** Clears the URL and the key, and keeps the other choices for the next job. */
export const clearForm = () => {
  url.value = ''
  const apiKey = form.elements.namedItem('apiKey')
  if (apiKey instanceof HTMLInputElement) apiKey.value = ''
}

/** @param {string} selector */
export const focusOn = (selector) => find(selector, HTMLElement, form).focus()
