/**
 * Finds an element that must exist.
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {ParentNode} [root]
 */
export const find = (selector, type, root = document) => {
  const found = root.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`${selector} is missing`)
  return found
}

/**
 * A new element. Strings become text nodes: the page's policy forbids parsing HTML.
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

/** @param {string} text @param {() => unknown} act @param {Parameters<typeof make<'button'>>[1]} [properties] */
export const makeButton = (text, act, properties) =>
  make('button', { type: 'button', onclick: act, ...properties }, text)

/** @param {string[]} titles @param {HTMLTableCellElement[][]} rows The cells of each row. */
export const makeTable = (titles, rows) => {
  const head = make('tr', {}, ...titles.map((title) => make('th', { scope: 'col' }, title)))
  const body = rows.map((cells) => make('tr', {}, ...cells))
  return make('div', { className: 'scroll' }, make('table', {}, make('thead', {}, head), make('tbody', {}, ...body)))
}

/** Shows these elements and no others. What stays in its place is not moved: it may have the focus. @param {Element} list @param {Element[]} elements */
export const arrange = (list, elements) => {
  const kept = new Set(elements)
  for (const child of [...list.children]) if (!kept.has(child)) child.remove()
  for (const [index, element] of elements.entries()) {
    const there = list.children[index] ?? null
    if (there !== element) list.insertBefore(element, there)
  }
}

/** Announces a change to screen readers. @param {string} sentence */
export const announce = (sentence) => {
  find('#announcement', HTMLElement).textContent = sentence
}

/** A time in words, whose title has it to the second. @param {string} iso @param {string} text */
export const makeTime = (iso, text) => make('time', { dateTime: iso, title: new Date(iso).toLocaleString('en') }, text)

/**
 * Browsers have no clipboard on pages without https, and may not allow its use.
 * @param {string} text
 * @param {string} otherwise What a person can do then.
 */
export const copyText = async (text, otherwise) => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    throw new Error(`The browser did not allow copying. ${otherwise}`)
  }
}

/** Shows the message, which names the first wrong field, and the other wrong fields. Without an error, clears the element. @param {HTMLElement} element @param {unknown} [error] */
export const showError = (element, error) => {
  if (error === undefined) return element.replaceChildren()
  /** @type {Partial<import('./haul-client.js').HaulApiError> & Error} */
  const { message, details = [], code, requestId } = Object(error)
  const others = details.slice(1).map(({ path, message: text }) => make('li', {}, `${path}: ${text}`))
  element.replaceChildren(message, ...(others.length > 0 ? [make('ul', {}, ...others)] : []))
  const facts = [code, requestId].filter(Boolean).join(' · ')
  if (facts) element.append(make('small', {}, facts))
}

/** Does the work and shows its error, unless it was aborted. @param {HTMLElement} problem @param {() => Promise<unknown>} work */
export const during = async (problem, work) => {
  showError(problem)
  await work().catch((error) => error.name === 'AbortError' || showError(problem, error))
}

/** Asks before something is deleted. @param {{title: string, text: string, yes: string}} question @returns {Promise<boolean>} */
export const confirmed = ({ title, text, yes }) => {
  const cancel = make('button', { autofocus: true }, 'Cancel')
  const confirm = make('button', { value: 'yes', className: 'primary danger' }, yes)
  const buttons = make('div', { className: 'go' }, cancel, confirm)
  const form = make('form', { method: 'dialog' }, make('h2', {}, title), make('p', {}, text), buttons)
  const dialog = make('dialog', { ariaLabel: title }, form)
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
  })
}

/** The page stays where the reader has scrolled it. @param {HTMLElement} list @param {HTMLElement} element */
export const scrollWithin = (list, element) => {
  const top = element.offsetTop - list.offsetTop - list.clientHeight / 3
  list.scrollTo({ top, behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' })
}
