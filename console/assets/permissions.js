import { Refused } from './api.js'
import { find } from './dom.js'

/** @import { ApiKey, Scope } from '../types.js' */
/** @import { Client } from './api.js' */

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

/** It may cancel what it has started. Whether that is this job, the service knows. */
export const mayCancel = () => may('import', 'transcribe', 'manage')

/** @param {unknown} error */
export const isScopeMissing = (error) => error instanceof Refused && error.code === 'SCOPE_MISSING'

/**
 * The key that is signed in with. Two keys may begin alike, such as those of earlier versions, of which only the beginning of
 * the account's keys is known: then it is not known which of them it is.
 * @param {ApiKey[]} keys
 * @param {Client} api
 */
export const ownKey = (keys, api) => {
  const alike = keys.filter(({ prefix }) => api.keyBeginsWith(prefix))
  const longest = Math.max(...alike.map(({ prefix }) => prefix.length))
  const [own, another] = alike.filter(({ prefix }) => prefix.length === longest)
  return another ? undefined : own
}

/**
 * What the key may do. A limited one cannot list keys, and the refusal says its scopes.
 * @param {Client} api
 * @returns {Promise<Permissions>}
 */
export const readPermissions = async (api) => {
  try {
    await api.get('/keys')
    return { scopes: allScopes, isFull: true }
  } catch (error) {
    if (!(error instanceof Refused) || !isScopeMissing(error)) throw error
    return { scopes: allScopes.filter((scope) => error.keyScopes?.includes(scope) ?? true), isFull: false }
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

/** As sentences. */
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
