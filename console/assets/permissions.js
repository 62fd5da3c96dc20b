import { Refused } from './api.js'
import { find } from './dom.js'

/** @import { ApiKey, Scope } from '../types.js' */
/** @import { Client } from './api.js' */

/** @type {Scope[]} */
export const allScopes = ['read', 'import', 'transcribe', 'manage']

/** What the key that is signed in with may do. @type {readonly Scope[]} */
let granted = allScopes

/** Whether the key has one of these scopes. @param {...Scope} needed */
export const may = (...needed) => needed.some((scope) => granted.includes(scope))

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
 * What the key may do. One that cannot list keys is told so by the refusal.
 * @param {Client} api
 * @returns {Promise<readonly Scope[]>}
 */
export const readScopes = async (api) => {
  try {
    const { keys } = await api.get('/keys')
    return ownKey(keys, api)?.scopes ?? allScopes
  } catch (error) {
    if (!(error instanceof Refused) || !isScopeMissing(error)) throw error
    return allScopes.filter((scope) => error.keyScopes?.includes(scope) ?? true)
  }
}

/** From now on the page offers only what the key may do, and says what it may not do. @param {readonly Scope[]} scopes */
export const permit = (scopes) => {
  granted = scopes
  const note = find('#key-limits', HTMLElement)
  note.hidden = scopes.length === allScopes.length
  note.textContent = [`This key may only ${scopes.join(' and ')}.`, ...limitsOf()].join(' ')
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
    ...(may('manage') ? [] : ['It changes no keys, and removes nothing that has ended.']),
  ]
}
