import { may, mayManageKeys, ownKey } from '../account/permissions.js'
import { createCard, drawBudget } from '../cards.js'
import { announce, confirmed, copyText, during, find, make, makeButton, makeTime, showError } from '../dom.js'
import { ago, dateOf, dollars, ofBudget } from '../format.js'
import { createKeyForm } from './key-form.js'

/** @import { ApiKey } from '../../types.js' */
/** @import { Api } from '../account/api.js' */
/** @import { KeyChanges, NewKey } from '../haul-client.js' */

const list = find('#keys', HTMLOListElement)
const problem = find('#keys-problem', HTMLElement)
const note = find('#keys-note', HTMLElement)
const newKey = find('#new-key', HTMLButtonElement)
/** Below the button: the form of a new key, or the key that was made. */
const stage = find('#new-key-stage', HTMLElement)
const title = find('#keys-title', HTMLElement)

/**
 * The keys of the account: they are listed, made, changed and removed.
 * @param {Api} api
 * @param {{signal: AbortSignal, onOwnChange: () => void, onOwnRemoval: () => void}} handlers
 */
export const createKeysView = (api, { signal, onOwnChange, onOwnRemoval }) => {
  let isShown = false

  const load = async () => {
    const keys = await Array.fromAsync(api.keys.list({ signal }))
    const own = ownKey(keys, api)
    list.replaceChildren(...keys.map((key) => cardOf(key, key === own).element))
  }

  /** @param {ApiKey} key @param {boolean} isOwn */
  const cardOf = (key, isOwn) => {
    const card = createKeyCard(key, isOwn, {
      change: () => (card.isOpen() ? close() : change()),
      remove: () => during(find('.key-problem', HTMLElement, card.element), () => remove(key, isOwn)),
    })
    const close = () => {
      card.open(false)
      card.stage.replaceChildren()
      focusOn(key)
    }
    const change = () => {
      const onSave = async (/** @type {KeyChanges} */ terms) => {
        await api.keys.update(key.keyId, terms)
        // What the page offers depends on its own key, which may be limited now.
        if (isOwn) return onOwnChange()
        await load()
        focusOn(key)
        announce(`${nameOf(key)} was changed.`)
      }
      const form = createKeyForm({ key, onSave, onClose: close })
      card.stage.replaceChildren(form)
      card.open(true)
      find('input', HTMLInputElement, form).focus()
    }
    return card
  }

  /** @param {ApiKey} key @param {boolean} isOwn */
  const remove = async (key, isOwn) => {
    const own = isOwn ? ' The console uses this key, so you are signed out.' : ''
    const text = `“${nameOf(key)}” (${key.prefix}…) is refused from its next request on. Jobs that it has started go on.${own}`
    if (!(await confirmed({ title: 'Remove this key?', text, yes: 'Remove' }))) return
    await api.keys.remove(key.keyId)
    if (isOwn) return onOwnRemoval()
    await load()
    title.focus()
    announce(`${nameOf(key)} was removed.`)
  }

  const clearStage = () => {
    stage.replaceChildren()
    newKey.setAttribute('aria-expanded', 'false')
  }

  const closeNew = () => {
    clearStage()
    newKey.focus()
  }

  const openNew = () => {
    const onSave = async (/** @type {KeyChanges} */ terms) => {
      const { apiKey, name } = await api.keys.create(/** @type {NewKey} */ (terms))
      if (!isShown) return
      showOnce(apiKey, `${name}`)
      await during(problem, load)
    }
    const form = createKeyForm({ onSave, onClose: closeNew })
    stage.replaceChildren(form)
    newKey.setAttribute('aria-expanded', 'true')
    find('input', HTMLInputElement, form).focus()
  }

  /** Only this part of the page has the key. It is removed when the user leaves the view. @param {string} apiKey @param {string} name */
  const showOnce = (apiKey, name) => {
    const copyKey = async () => {
      await copyText(apiKey, 'Select the key and copy it.')
      announce('The key was copied.')
    }
    const copy = makeButton('Copy', () => during(problem, copyKey), { className: 'primary' })
    const heading = make('h2', { id: 'made-key-title' }, `Copy the key “${name}” now`)
    const panel = make(
      'section',
      { className: 'made stack panel' },
      heading,
      make('p', {}, 'It is shown only this once. Whoever has it can use it.'),
      make('p', { className: 'joined' }, make('code', { className: 'made-key' }, apiKey), copy),
      makeButton('Done', closeNew, { className: 'quiet' }),
    )
    panel.setAttribute('aria-labelledby', heading.id)
    stage.replaceChildren(panel)
    copy.focus()
    announce(`The key ${name} was made. Copy it now: it is shown only this once.`)
  }

  newKey.addEventListener('click', () => (stage.childElementCount > 0 ? closeNew() : openNew()))
  /** Also called before the page enters the back/forward cache. */
  addEventListener('pagehide', clearStage)
  signal.addEventListener('abort', clearStage)

  return {
    enter: () => {
      isShown = true
      newKey.hidden = !mayManageKeys()
      note.textContent = noteFor()
      if (mayManageKeys()) during(problem, load)
      title.focus()
    },
    leave: () => {
      isShown = false
      showError(problem)
      clearStage()
      list.replaceChildren()
    },
  }
}

const noteFor = () =>
  mayManageKeys()
    ? 'Make one key for each program, which may do no more than that program does.'
    : 'Only a full key, which has all scopes and no budget, expiry or origins, manages keys.'

/** @param {ApiKey} key */
const focusOn = ({ keyId }) => {
  const button = list.querySelector(`[data-key="${keyId}"] button`)
  if (button instanceof HTMLButtonElement) button.focus()
}

/** @param {ApiKey} key */
const nameOf = ({ name }) => name ?? 'A key made by an operator'

/** @param {ApiKey} key @param {boolean} isOwn The console uses it. @param {{change: () => void, remove: () => void}} actions */
const createKeyCard = (key, isOwn, { change, remove }) => {
  const card = createCard('key')
  const actions = [
    { name: 'Change', act: change, opens: 'stage' },
    { name: 'Remove', act: remove, away: true },
  ]
  card.element.dataset.key = key.keyId
  card.draw({
    title: nameOf(key),
    state: isOwn ? 'Used by this console' : '',
    isLive: isOwn,
    facts: factsOf(key),
    actions: may('manage') ? actions : [],
  })
  find('.key-scopes', HTMLUListElement, card.element).append(...key.scopes.map((scope) => make('li', {}, scope)))
  const { used, text } = spendingOf(key)
  drawBudget(card.part('budget'), used, key.dollarsPerMonth, text)
  return card
}

/** @param {ApiKey} key @returns {(string | Node)[]} */
const factsOf = ({ prefix, expiresAt, allowedOrigins, lastUsedAt }) => [
  make('code', {}, `${prefix}…`),
  ...(allowedOrigins.length > 0 ? [`for pages of ${allowedOrigins.join(', ')}`] : []),
  ...(expiresAt === null ? [] : [makeTime(expiresAt, `expires ${dateOf(expiresAt)}`)]),
  lastUsedAt === null ? 'never used' : makeTime(lastUsedAt, `last used ${ago(lastUsedAt)}`),
]

/** @param {ApiKey} key */
const spendingOf = ({ dollarsPerMonth, spentThisMonthDollars, heldDollars }) => {
  const used = spentThisMonthDollars + heldDollars
  const held = heldDollars > 0 ? `, ${dollars(heldDollars)} of it held for jobs` : ''
  return { used, text: `${ofBudget(used, dollarsPerMonth)} this month${held}` }
}
