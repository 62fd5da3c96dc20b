import { find } from './dom.js'

/** @typedef {'jobs' | 'watches' | 'keys'} ViewName */
/** @typedef {{enter: () => void, leave?: () => void}} View What is done when the view is shown, and when another one is. */

const names = /** @type {const} */ (['jobs', 'watches', 'keys'])
const titles = { jobs: 'Haul', watches: 'Watches – Haul', keys: 'Keys – Haul' }

/** @param {string} text @returns {text is ViewName} */
const isName = (text) => names.some((name) => name === text)

/** The fragment of the URL says which view is shown, so that it can be linked and gone back from. @param {Record<ViewName, View>} views */
export const openViews = (views) => {
  /** @type {ViewName | null} */
  let shown = null
  const show = () => {
    const fragment = location.hash.slice(1)
    const name = isName(fragment) ? fragment : 'jobs'
    for (const each of names) {
      find(`#${each}-view`, HTMLElement).hidden = each !== name
      find(`#to-${each}`, HTMLAnchorElement).removeAttribute('aria-current')
    }
    find(`#to-${name}`, HTMLAnchorElement).setAttribute('aria-current', 'page')
    document.title = titles[name]
    if (shown) views[shown].leave?.()
    shown = name
    views[name].enter()
  }
  addEventListener('hashchange', show)
  show()
}

/** Shows a view, and then does the work. @param {ViewName} name @param {() => void} work */
export const goTo = (name, work) => {
  if (location.hash === `#${name}`) return work()
  addEventListener('hashchange', () => work(), { once: true })
  location.hash = name
}
