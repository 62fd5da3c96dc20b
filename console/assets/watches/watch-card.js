import { may } from '../account/permissions.js'
import { createCard, drawBudget } from '../cards.js'
import { make, makeTime } from '../dom.js'
import { ago, capitalized, ofBudget } from '../format.js'
import { every, isWrong, madeOf, reasonOf, soon, sourceOf, watchTitle } from './watch-facts.js'

/** @import { Watch } from '../../types.js' */
/** @import { Action } from '../cards.js' */
/**
 * @typedef {object} WatchActions
 * @property {() => void} toggle
 * @property {() => void} poll
 * @property {() => void} pause
 * @property {() => void} resume
 * @property {() => void} drop
 * @property {() => void} remove
 */

/** One watch in the list. @param {WatchActions} handlers */
export const createWatchCard = (handlers) => {
  const card = createCard('watch')
  return {
    ...card,
    /** @param {Watch} watch */
    draw: (watch) => {
      card.draw({
        title: watchTitle(watch),
        hint: watch.url,
        state: capitalized(watch.status),
        isLive: watch.status === 'active',
        facts: factsOf(watch),
        actions: actionsOf(watch, handlers),
      })
      const { spentThisMonthDollars: spent, maxCostDollarsPerMonth: most } = watch
      // Where everything is free, nothing is spent, and the form offers no ceiling.
      card.part('budget').hidden = spent === 0 && most === null
      drawBudget(card.part('budget'), spent, most, `${ofBudget(spent, most)} this month`)
    },
  }
}

/** @param {Watch} watch @returns {(string | Node)[]} */
const factsOf = (watch) => {
  const { code, failures, everyMinutes, nextPollAt, lastPollAt, waiting } = watch
  const reason = reasonOf(watch)
  const className = isWrong(watch) || failures > 0 ? 'why' : ''
  return [
    ...(reason ? [make('span', { className }, reason, ' ', make('code', {}, code ?? ''))] : []),
    ...(failures > 0 ? [failures === 1 ? 'the last poll failed' : `the last ${failures} polls failed`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    madeOf(watch),
    sourceOf(watch),
    every(everyMinutes),
    ...(nextPollAt ? [makeTime(nextPollAt, `next poll ${soon(nextPollAt)}`)] : []),
    ...(lastPollAt && !nextPollAt ? [makeTime(lastPollAt, `last poll ${ago(lastPollAt)}`)] : []),
  ]
}

/** @param {Watch} watch @param {WatchActions} handlers @returns {Action[]} */
const actionsOf = (watch, { toggle, poll, pause, resume, drop, remove }) => {
  const mayStop = may('import', 'transcribe', 'manage')
  const isPaused = watch.status === 'paused'
  return [
    { name: 'Items', act: toggle, opens: 'stage' },
    ...(mayStop && !isPaused ? [{ name: 'Poll now', act: poll }] : []),
    ...(may(watch.transcribe ? 'transcribe' : 'import') ? changesOf(watch, { pause, resume, drop }) : []),
    ...(mayStop ? [{ name: 'Remove', act: remove, away: true }] : []),
  ]
}

/** @param {Watch} watch @param {Pick<WatchActions, 'pause' | 'resume' | 'drop'>} handlers @returns {Action[]} */
const changesOf = ({ status, code }, { pause, resume, drop }) => {
  if (status !== 'paused') return [{ name: 'Pause', act: pause }]
  if (code !== 'TOO_MANY_NEW') return [{ name: 'Resume', act: resume }]
  return [
    { name: 'Take them', act: resume },
    { name: 'Leave them', act: drop },
  ]
}
