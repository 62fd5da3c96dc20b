import { duration } from '../assets/format.js'
import { maxOf, sumOf } from './metrics.js'
import { causesOf, countOf, hoursOf, ofOutcome } from './outcomes.js'

/** @import { OutcomeCount, Snapshot } from '../types.js' */

const MAX_WAIT_SECONDS = 300

/** @param {number} count @param {string} noun */
const some = (count, noun) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** @param {Snapshot} snapshot @returns {string | null} */
const noEngine = ({ samples = [] }) => {
  const waiting = sumOf(samples, 'haul_steps_waiting')
  if (waiting === 0 || sumOf(samples, 'haul_engines{state="running"}') > 0) return null
  const others = ['starting', 'draining']
    .map((state) => ({ state, count: sumOf(samples, `haul_engines{state="${state}"}`) }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => ` ${count} ${count === 1 ? 'is' : 'are'} ${state}.`)
  return `No engine is running, and ${some(waiting, 'step')} ${waiting === 1 ? 'waits' : 'wait'}.${others.join('')}`
}

/** @param {Snapshot} snapshot @returns {string | null} */
const longWait = ({ samples = [] }) => {
  const oldest = maxOf(samples, 'haul_oldest_step_seconds')
  if (oldest <= MAX_WAIT_SECONDS) return null
  const step = samples.find(({ name, value }) => name === 'haul_oldest_step_seconds' && value === oldest)?.labels.step
  return `The oldest step (${step}) has waited for ${duration(oldest)}.`
}

/** Failures of the current hour, or of the hour before if no job has ended in the current one. @param {Snapshot} snapshot @param {number} nowMs */
const failures = ({ outcomes = [] }, nowMs) => {
  const recent = hoursOf(outcomes, nowMs)
    .slice(-2)
    .map((hour) => outcomes.filter((each) => Date.parse(each.hour) === hour && each.outcome !== 'canceled'))
  const ended = recent.findLast((each) => countOf(each) > 0) ?? []
  const failed = ofOutcome(ended, 'failed')
  const [failedCount, completedCount] = [countOf(failed), countOf(ended) - countOf(failed)]
  if (failedCount <= completedCount) return null
  const [{ source, code, count } = { source: '', code: '', count: 0 }] = causesOf(failed)
  const most = `Most frequent: ${code || 'no code'} of ${source || 'no source'} (${count.toLocaleString('en')}).`
  return `In the last hour ${some(failedCount, 'job')} failed and ${completedCount.toLocaleString('en')} completed. ${most}`
}

/** @param {Snapshot} snapshot @returns {string | null} */
const extractors = ({ engines = [] }) => {
  const said = engines.flatMap(({ extractor }) => extractor?.problem ?? [])
  return said.length > 0 ? `${some(said.length, 'engine')}: ${said[0]}` : null
}

/** @param {Snapshot} snapshot @returns {string | null} */
const deadLetters = ({ samples = [] }) => {
  const queues = samples.filter(({ name, value }) => name === 'haul_dead_letters_total' && value > 0)
  if (queues.length === 0) return null
  const counts = queues.map(({ labels, value }) => `${labels.queue}: ${value.toLocaleString('en')}`).join(', ')
  const total = sumOf(samples, 'haul_dead_letters_total')
  return `${some(total, 'message')} ended in a dead-letter queue since counting began (${counts}).`
}

/**
 * What is wrong, the most urgent first. A person who was called at night reads this before any number.
 * @param {Snapshot} snapshot
 * @param {number} nowMs
 */
export const problemsOf = (snapshot, nowMs) =>
  Object.entries({ noEngine, longWait, failures, extractors, deadLetters }).flatMap(([kind, find]) => {
    const sentence = find(snapshot, nowMs)
    return sentence === null ? [] : [{ kind, sentence }]
  })
