import { find, make } from '../assets/dom.js'
import { causesOf, countOf, countsByHour, hoursOf, ofOutcome, sourcesOf } from './outcomes.js'
import { createPlot, hourLabel } from './plot.js'
import { count, createTable, makeData } from './tables.js'

/** @import { Outcome, OutcomeCount } from '../types.js' */
/** @typedef {{source: string, code: string, failed: number, share: number, color: string}} CauseRow */

/** The plot's order, from the bottom. @type {Outcome[]} */
const ORDER = ['failed', 'canceled', 'completed']
/** ops.css has colours for five. */
const PLOTTED_CAUSES = 5

const sourceChoice = find('#source', HTMLSelectElement)
const plotOutcomes = createPlot('outcomes-plot')
const plotCauses = createPlot('causes-plot')

/** @type {OutcomeCount[]} */
let known = []

/** @param {string} color */
const swatch = (color) => {
  const element = make('span', { className: 'swatch', ariaHidden: 'true' })
  element.style.background = `var(${color})`
  return element
}

find('#legend', HTMLElement).append(
  ...ORDER.toReversed().map((outcome) => make('li', {}, swatch(`--${outcome}`), outcome)),
)

/** @type {(rows: {hour: number, counts: Record<Outcome, number>}[]) => void} */
const listHours = createTable('#outcomes-by-hour', [
  ['Hour', ({ hour }) => [hourLabel(hour)]],
  ['Completed', ({ counts }) => [count(counts.completed)]],
  ['Canceled', ({ counts }) => [count(counts.canceled)]],
  ['Failed', ({ counts }) => [count(counts.failed)]],
])

const listCauses = createTable(
  '#causes',
  /** @type {[string, (row: CauseRow) => (Node | string)[]][]} */ ([
    ['Source', ({ source, color }) => [swatch(color), source]],
    ['Code', ({ code }) => [make('code', {}, code)]],
    ['Failed', ({ failed }) => [makeData(failed)]],
    ['Share', ({ share }) => [make('progress', { className: 'usage', value: share, ariaHidden: 'true' })]],
  ]),
  { most: 10, others: 'less frequent ones' },
)

/** @param {OutcomeCount[]} outcomes @param {number[]} hours */
const showOutcomes = (outcomes, hours) => {
  const series = ORDER.map((outcome) => ({
    label: outcome,
    color: `--${outcome}`,
    counts: countsByHour(ofOutcome(outcomes, outcome), hours),
  }))
  const sums = series.map(({ label, counts }) => `${count(counts.reduce((sum, each) => sum + each, 0))} ${label}`)
  plotOutcomes(hours, series, sums.join(', '))
  const rows = hours.map((hour, index) => {
    const [failed = 0, canceled = 0, completed = 0] = series.map(({ counts }) => counts[index])
    return { hour, counts: { failed, canceled, completed } }
  })
  listHours(rows.toReversed())
}

/** @param {OutcomeCount[]} failures @param {number[]} hours */
const showCauses = (failures, hours) => {
  const total = countOf(failures)
  const causes = causesOf(failures).map((cause, index) => ({
    ...cause,
    color: index < PLOTTED_CAUSES ? `--cause-${index + 1}` : '--cause-other',
  }))
  const others = causes.slice(PLOTTED_CAUSES).flatMap(({ outcomes }) => outcomes)
  const series = causes.slice(0, PLOTTED_CAUSES).map(({ source, code, color, outcomes }) => ({
    label: `${code} (${source})`,
    color,
    counts: countsByHour(outcomes, hours),
  }))
  if (others.length > 0) series.push({ label: 'other', color: '--cause-other', counts: countsByHour(others, hours) })
  plotCauses(hours, series, `${count(total)} failed`)
  listCauses(causes.map((cause) => ({ ...cause, failed: cause.count, share: cause.count / total })))
}

/** Keeps the chosen source, also while it has no jobs. */
const showSources = () => {
  const chosen = sourceChoice.value
  const sources = new Set([...sourcesOf(known), ...(chosen ? [chosen] : [])])
  const options = [...sources].toSorted().map((source) => make('option', { value: source }, source))
  const [all, ...before] = sourceChoice.options
  if (before.map(({ value }) => value).join() === options.map(({ value }) => value).join()) return
  sourceChoice.replaceChildren(...(all ? [all] : []), ...options)
  sourceChoice.value = chosen
}

const show = () => {
  const hours = hoursOf(known, Date.now())
  const since = hours[0] ?? 0
  const shown = known.filter(({ source, hour }) => {
    return Date.parse(hour) >= since && (sourceChoice.value === '' || source === sourceChoice.value)
  })
  showOutcomes(shown, hours)
  showCauses(ofOutcome(shown, 'failed'), hours)
}

/** @param {OutcomeCount[]} outcomes */
export const showLastDay = (outcomes) => {
  known = outcomes
  showSources()
  show()
}

sourceChoice.addEventListener('change', show)
