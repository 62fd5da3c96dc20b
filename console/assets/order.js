import { complain, find } from './dom.js'

/** @typedef {{path: '/import' | '/transcribe', body: Record<string, unknown>}} Order */

const form = find('#order', HTMLFormElement)
const url = find('#url', HTMLInputElement)
const problem = find('#order-problem', HTMLElement)
const buttons = form.querySelectorAll('button')

/** @param {string} name */
const wished = (name) => `${new FormData(form).get(name) ?? ''}`.trim()

/** Only the wishes that belong to what is wanted are there to be filled in. */
const showWishes = () => {
  const [what, provider] = [wished('what'), wished('provider')]
  for (const field of form.querySelectorAll('.field')) {
    if (!(field instanceof HTMLElement)) continue
    const { for: fors = '', provider: providers = provider } = field.dataset
    field.hidden = !fors.split(' ').includes(what) || !providers.split(' ').includes(provider)
  }
}

/** What the form asks the API for. @returns {Order} */
const read = () => {
  const what = wished('what')
  if (what === 'words') return { path: '/transcribe', body: wordsBody() }
  const body = { url: url.value.trim(), includeVideo: what !== 'sound', includeAudio: what !== 'pictures' }
  const quality = what === 'sound' ? 'audioQuality' : 'videoQuality'
  return { path: '/import', body: { ...body, [quality]: wished(quality) } }
}

const wordsBody = () => {
  const [provider, language, most, apiKey] = ['provider', 'language', 'maxCostDollars', 'apiKey'].map(wished)
  return {
    url: url.value.trim(),
    ...(provider ? { provider } : {}),
    ...(language ? { language } : {}),
    ...(provider === 'builtin' && most ? { maxCostDollars: Number(most) } : {}),
    ...(provider && provider !== 'builtin' && apiKey ? { apiKey } : {}),
  }
}

/**
 * What is missing before the API is worth asking. @returns {boolean}
 */
const isFilled = () => {
  const parsed = URL.parse(url.value.trim())
  const fine = parsed !== null && /^https?:$/.test(parsed.protocol)
  url.setAttribute('aria-invalid', `${!fine}`)
  if (fine) return true
  complain(problem, { message: 'Enter a web address that begins with https:// or http://.' })
  url.focus()
  return false
}

/**
 * The form by which things are ordered.
 * @param {{onHaul: (order: Order) => Promise<void>, onLook: (url: string) => Promise<void>}} deeds
 */
export const openOrder = ({ onHaul, onLook }) => {
  /** @param {() => Promise<void>} work */
  const during = async (work) => {
    complain(problem)
    if (!isFilled()) return
    for (const button of buttons) button.disabled = true
    try {
      await work()
    } catch (error) {
      complain(problem, error)
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    during(() => onHaul(read()))
  })
  find('#look', HTMLButtonElement).addEventListener('click', () => during(() => onLook(url.value.trim())))
  form.addEventListener('change', showWishes)
  url.addEventListener('input', () => url.removeAttribute('aria-invalid'))
  showWishes()
}

/**
 * Fills the form in.
 * @param {Record<string, string>} wishes
 */
export const fillIn = (wishes) => {
  for (const [name, value] of Object.entries(wishes)) {
    const field = form.elements.namedItem(name)
    if (field instanceof RadioNodeList || field instanceof HTMLInputElement || field instanceof HTMLSelectElement)
      field.value = value
  }
  showWishes()
}

/** Ready for the next one. */
export const clearOrder = () => {
  url.value = ''
  const apiKey = form.elements.namedItem('apiKey')
  if (apiKey instanceof HTMLInputElement) apiKey.value = ''
}

/** @param {string} selector */
export const focusOn = (selector) => find(selector, HTMLElement, form).focus()
