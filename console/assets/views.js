import { find } from './dom.js'
import { focusOn } from './job-form.js'

/** The views of the console. The fragment of the URL says which one is shown, so that it can be linked and gone back from. */
const jobs = { view: find('#jobs-view', HTMLElement), link: find('#to-jobs', HTMLAnchorElement), title: 'Haul' }
const keys = { view: find('#keys-view', HTMLElement), link: find('#to-keys', HTMLAnchorElement), title: 'Keys – Haul' }

/** @param {{enter: () => void, leave: () => void}} keysView */
export const openViews = ({ enter, leave }) => {
  const show = () => {
    const shown = location.hash === '#keys' ? keys : jobs
    for (const { view, link } of [jobs, keys]) {
      view.hidden = view !== shown.view
      link.removeAttribute('aria-current')
    }
    shown.link.setAttribute('aria-current', 'page')
    document.title = shown.title
    leave()
    if (shown === jobs) return focusOn('#url')
    enter()
    find('#keys-title', HTMLElement).focus()
  }
  addEventListener('hashchange', show)
  show()
}
