import { find } from './dom.js'
import { dollars } from './format.js'
import { hideMoney } from './job-form.js'

/** @import { Account } from '../types.js' */

const figures = find('#figures', HTMLElement)

/** @param {string} selector @param {string} text */
const write = (selector, text) => {
  find(selector, HTMLElement).textContent = text
}

let perHour = 0
/** Known only from the response to an import. @type {number | null} */
let left = null

/** Where nothing costs anything, no balance and no ceiling is shown. @param {Account} account */
export const showAccount = ({ name, availableDollars, heldDollars, limits, prices }) => {
  const isFree = Object.values(prices).every((price) => price === 0)
  figures.hidden = false
  for (const part of figures.querySelectorAll('[data-money]')) part.toggleAttribute('hidden', isFree)
  hideMoney(isFree)
  write('#who-name', name)
  write('#available', dollars(availableDollars))
  write('#held', dollars(heldDollars))
  write('#at-once', `${limits.concurrentJobs.import}`)
  perHour = limits.requestsPerHour.import
  if (left === null) write('#an-hour', `${perHour}`)
}

/** @param {string} path @param {Headers} headers */
export const noteLimits = (path, headers) => {
  if (path !== '/import') return
  left = Number(headers.get('x-ratelimit-remaining'))
  write('#an-hour', `${left} of ${perHour} left`)
}
