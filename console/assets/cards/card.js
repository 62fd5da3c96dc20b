import { find, make, makeButton } from '../dom.js'

/** @typedef {{name: string, act: () => void, away?: boolean, opens?: string}} Action `opens`: the part of the card that it shows. */
/** @typedef {{title: string, hint?: string, state: string, isLive: boolean, facts: (string | Node)[], actions: Action[]}} Shown */

/**
 * A card of a list, updated in place so that nothing moves. Its stage is the area below that opens; a card may have more of these.
 * @param {'job' | 'batch' | 'key'} kind
 */
export const createCard = (kind) => {
  const template = find(`#${kind}-card`, HTMLTemplateElement)
  const element = find('li', HTMLLIElement, /** @type {DocumentFragment} */ (template.content.cloneNode(true)))
  const part = (/** @type {string} */ name) => find(`.${kind}-${name}`, HTMLElement, element)
  const stage = part('stage')
  let drawn = ''
  return {
    element,
    stage,
    part,
    isOpen: (name = 'stage') => !part(name).hidden,
    /** @param {boolean} isOpen */
    open: (isOpen, name = 'stage') => {
      part(name).hidden = !isOpen
      element.querySelector(`[data-opens=${name}]`)?.setAttribute('aria-expanded', `${isOpen}`)
    },
    /** @param {Shown} shown */
    draw: ({ title, hint = '', state, isLive, facts, actions }) => {
      element.toggleAttribute('data-live', isLive)
      part('title').textContent = title
      part('title').title = hint
      part('state').textContent = state
      part('state').dataset.state = state
      part('facts').replaceChildren(...facts.map((fact) => make('span', {}, fact)))
      // Buttons that stay the same are not replaced: one of them may have the focus.
      const names = actions.map(({ name }) => name).join()
      if (names !== drawn) part('actions').replaceChildren(...actions.map(actionButton))
      drawn = names
      for (const button of part('actions').querySelectorAll('button'))
        button.setAttribute('aria-label', `${button.textContent}: ${title}`)
    },
  }
}

/** @param {Action} action */
const actionButton = ({ name, act, away = false, opens }) => {
  const button = makeButton(name, act, { className: away ? 'away' : '', ...(opens && { ariaExpanded: 'false' }) })
  if (opens) button.dataset.opens = opens
  return button
}
