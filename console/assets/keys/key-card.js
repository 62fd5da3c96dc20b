import { may } from '../account/permissions.js'
import { createCard } from '../cards/card.js'
import { find, make, makeTime } from '../dom.js'
import { ago, dateOf, dollars } from '../format.js'

/** @import { ApiKey } from '../../types.js' */

/** @param {ApiKey} key */
export const nameOf = ({ name }) => name ?? 'A key made by an operator'

/**
 * One key in the list.
 * @param {ApiKey} key
 * @param {boolean} isOwn The console uses it.
 * @param {{change: () => void, remove: () => void}} actions
 */
export const createKeyCard = (key, isOwn, { change, remove }) => {
  const card = createCard('key')
  card.element.dataset.key = key.keyId
  card.draw({
    title: nameOf(key),
    state: isOwn ? 'Used by this console' : '',
    isLive: isOwn,
    facts: factsOf(key),
    actions: may('manage')
      ? [
          { name: 'Change', act: change, opens: 'stage' },
          { name: 'Remove', act: remove, away: true },
        ]
      : [],
  })
  find('.key-scopes', HTMLUListElement, card.element).append(...key.scopes.map((scope) => make('li', {}, scope)))
  drawBudget(card.element, key)
  return card
}

/** @param {ApiKey} key @returns {(string | Node)[]} */
const factsOf = ({ prefix, expiresAt, allowedOrigins, lastUsedAt }) => [
  make('code', {}, `${prefix}…`),
  ...(allowedOrigins.length > 0 ? [`for pages of ${allowedOrigins.join(', ')}`] : []),
  ...(expiresAt === null ? [] : [makeTime(expiresAt, `expires ${dateOf(expiresAt)}`)]),
  lastUsedAt === null ? 'never used' : makeTime(lastUsedAt, `last used ${ago(lastUsedAt)}`),
]

/** @param {HTMLElement} element @param {ApiKey} key */
const drawBudget = (element, { dollarsPerMonth, spentThisMonthDollars, heldDollars }) => {
  const used = spentThisMonthDollars + heldDollars
  const held = heldDollars > 0 ? `, ${dollars(heldDollars)} of it held for jobs` : ''
  const text = dollarsPerMonth === null ? dollars(used) : `${dollars(used)} of ${dollars(dollarsPerMonth)}`
  find('.key-spent', HTMLElement, element).textContent = `${text} this month${held}`
  const bar = find('meter', HTMLMeterElement, element)
  if (dollarsPerMonth === null) return bar.remove()
  // A budget of 0 is used up. A meter needs a maximum above 0.
  bar.max = dollarsPerMonth || 1
  bar.value = dollarsPerMonth === 0 ? 1 : used
}
