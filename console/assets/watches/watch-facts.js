import { ago, dateOf, hostOf, placeOf } from '../format.js'

/** @import { Watch } from '../../types.js' */

/** @param {Pick<Watch, 'title' | 'url'>} watch */
export const watchTitle = ({ title, url }) => title || placeOf(url)

/** @param {number} first */
export const startedText = (first) => {
  if (first === 0) return 'The watch takes only what is new from now on. What its list has already is marked.'
  const newest = first === 1 ? 'the newest item' : `the ${first} newest items`
  return `The watch takes ${newest} at once, and what is new from now on. What else its list has already is marked.`
}

/** What is made of its new items. @param {Pick<Watch, 'import' | 'transcribe'>} watch */
export const madeOf = ({ import: media, transcribe }) => {
  if (transcribe) return 'transcripts'
  if (!media) return 'only tells'
  const { includeVideo = true, includeAudio = true } = media
  const kind = includeVideo ? (includeAudio ? 'video' : 'video without sound') : 'audio'
  return media.transcribe ? `${kind} and transcripts` : kind
}

/** @param {Pick<Watch, 'source' | 'url'>} watch */
export const sourceOf = ({ source, url }) => (source ? `${source} of ${hostOf(url)}` : hostOf(url))

/** @type {[string, number][]} */
const spans = [
  ['week', 10_080],
  ['day', 1_440],
  ['hour', 60],
  ['minute', 1],
]

/** @param {number} minutes */
export const every = (minutes) => {
  const [unit, length] = spans.find(([, span]) => minutes % span === 0) ?? ['minute', 1]
  const count = minutes / length
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

/** @param {string} iso */
export const soon = (iso) => {
  const text = ago(iso)
  return text === 'just now' ? 'in less than a minute' : text
}

/** Why it is paused or fails. null: its caller has paused it, or nothing is wrong. @param {Watch} watch */
export const reasonOf = ({ status, code, message, waiting, maxNew, resetsAt }) => {
  if (code === null) return null
  if (status !== 'paused') return message
  if (code === 'TOO_MANY_NEW')
    return `${waiting} items are new at once, and more than ${maxNew} may be a mistake of the source. Take them, or leave them for good?`
  if (code === 'KEY_REMOVED')
    return 'The key that started the watch was removed. Resume it with the key of this console.'
  const until = code === 'MAX_COST_EXCEEDED' || code === 'KEY_BUDGET_EXCEEDED' ? ` It goes on ${dateOf(resetsAt)}.` : ''
  return code === 'MAX_COST_EXCEEDED' ? `It has reached its maximum cost for this month.${until}` : `${message}${until}`
}

/** It will do nothing more, or fails, until somebody acts. @param {Pick<Watch, 'status' | 'code'>} watch */
export const isWrong = ({ status, code }) => status === 'failing' || (status === 'paused' && code !== null)

const LEAST_MS = 5_000
const MOST_MS = 60_000
/** A poll takes about as long. */
const POLL_TAKES_MS = 3_000

/** When the list is read again: polls that find nothing make no event. @param {Pick<Watch, 'nextPollAt'>[]} watches @param {number} now */
export const nextReadMs = (watches, now) => {
  const polls = watches.flatMap(({ nextPollAt }) => (nextPollAt === null ? [] : [Date.parse(nextPollAt) - now]))
  return Math.max(LEAST_MS, Math.min(MOST_MS, ...polls.map((untilPoll) => untilPoll + POLL_TAKES_MS)))
}
