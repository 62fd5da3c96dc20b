import { find } from '../dom.js'
import { HaulApiError } from '../haul-client.js'

/** @import { ApiKey, Scope } from '../../types.js' */
/** @import { Api } from './api.js' */

/** @type {Scope[]} */
export const allScopes = ['read', 'import', 'transcribe', 'manage']

/**
 * What a key may do. Only a full key, with all scopes and without a limit, manages keys.
 * @typedef {{scopes: readonly Scope[], isFull: boolean}} Permissions
 */

/** Of the key that is signed in with. @type {Permissions} */
let granted = { scopes: allScopes, isFull: true }

/** Whether the key has one of these scopes. @param {...Scope} needed */
export const may = (...needed) => needed.some((scope) => granted.scopes.includes(scope))

export const mayManageKeys = () => granted.isFull

/** A key may cancel jobs that it has started. Only the service knows which ones. */
export const mayCancel = () => may('import', 'transcribe', 'manage')

/** @param {unknown} error */
export const isScopeMissing = (error) => error instanceof HaulApiError && error.code === 'SCOPE_MISSING'

/** undefined: several keys match, because they have the same prefix. @param {ApiKey[]} keys @param {Api} api */
export const ownKey = (keys, api) => {
  const alike = keys.filter(({ prefix }) => api.options.apiKey.startsWith(prefix))
  const longest = Math.max(...alike.map(({ prefix }) => prefix.length))
  const [own, another] = alike.filter(({ prefix }) => prefix.length === longest)
  return another ? undefined : own
}

/** A limited key cannot list keys. The refusal names its scopes. @param {Api} api @returns {Promise<Permissions>} */
export const readPermissions = async (api) => {
  try {
    await api.request('GET', '/keys')
    return { scopes: allScopes, isFull: true }
  } catch (error) {
    if (!isScopeMissing(error)) throw error
    const keyScopes = `${/** @type {HaulApiError} */ (error).body.keyScopes}`.split(', ')
    return { scopes: allScopes.filter((scope) => keyScopes.includes(scope)), isFull: false }
  }
}

/** From now on the page offers only what the key may do, and says what it may not do. @param {Permissions} permissions */
export const permit = (permissions) => {
  granted = permissions
  const { scopes, isFull } = permissions
  const note = find('#key-limits', HTMLElement)
  note.hidden = isFull
  const only = scopes.length < allScopes.length ? [`This key may only ${scopes.join(' and ')}.`] : []
  note.textContent = [...only, ...limitsOf(), 'It manages no keys.'].join(' ')
}

const limitsOf = () => {
  const starts = may('import', 'transcribe')
  const seen = starts ? 'only the jobs that it has started itself' : 'no jobs'
  return [
    ...(may('read') ? [] : [`It sees ${seen}, and no balance.`]),
    ...(starts ? [] : ['It starts no jobs.']),
    ...(starts && !may('import') ? ['It starts no imports.'] : []),
    ...(starts && !may('transcribe') ? ['It starts no transcriptions.'] : []),
    ...(may('manage') ? [] : ['It removes nothing that has ended.']),
  ]
}
