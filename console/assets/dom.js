/**
 * The element that must be there.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [root]
 * @returns {T}
 */
export const find = (selector, type, root = document) => {
  const found = root.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`${selector} is missing`)
  return found
}

/**
 * A new element. Text stays text: the page's policy forbids everything that parses HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Partial<Omit<HTMLElementTagNameMap[K], 'children' | 'style' | 'dataset'>>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

const news = find('#news', HTMLElement)

/**
 * Says it to who listens rather than looks.
 * @param {string} sentence
 */
export const say = (sentence) => {
  news.textContent = sentence
}

/**
 * Shows what went wrong as the API says it, or clears what was there.
 * @param {HTMLElement} place
 * @param {unknown} [error]
 */
export const complain = (place, error) => {
  if (error === undefined) return place.replaceChildren()
  const { message, code, requestId } = /** @type {import('./api.js').Refused} */ (error)
  place.replaceChildren(message)
  const facts = [code, requestId].filter(Boolean).join(' · ')
  if (facts) place.append(make('small', {}, facts))
}

/**
 * Asks before something is gone for good.
 * @param {{title: string, text: string, yes: string}} question
 * @returns {Promise<boolean>}
 */
export const confirmed = ({ title, text, yes }) => {
  const dialog = find('#question', HTMLDialogElement)
  find('#question-title', HTMLElement).textContent = title
  find('#question-text', HTMLElement).textContent = text
  find('#question-yes', HTMLElement).textContent = yes
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
  })
}
