import { may } from '../account/permissions.js'
import { make, makeButton } from '../dom.js'

/** @import { Account } from '../../types.js' */

/** Why nothing may be found although it was said. null: there is no such reason. @param {Account} account */
const reasonIn = ({ index, search }) => {
  if (!index) return 'Search is off for this account, so nothing that is said in its media is found.'
  return search.full ? 'The index of this account is full: the words of its newest jobs are not found.' : null
}

/**
 * Says why nothing is found, with a button that turns the search on. null: there is no such reason, or the key may not know it.
 * @param {import('../account/api.js').Api} api
 * @param {{signal: AbortSignal, during: (work: () => Promise<unknown>) => void}} handlers
 */
export const searchOff = async (api, { signal, during }) => {
  if (!may('read')) return null
  const account = await api.account({ signal })
  const reason = reasonIn(account)
  if (reason === null) return null
  const text = make('p', {}, reason)
  if (account.index) return [text]
  if (!may('manage')) return [text, make('p', { className: 'note' }, 'A key with the scope manage can turn it on.')]
  const turnOn = async () => {
    await api.updateAccount({ index: true })
    await api.rebuildSearch()
    text.textContent = 'Search is on. The words of earlier jobs come back in the next minutes.'
    button.remove()
    text.tabIndex = -1
    text.focus()
  }
  const button = makeButton('Turn search on', () => during(turnOn), { className: 'primary' })
  return [text, button]
}
