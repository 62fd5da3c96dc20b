import { find, make } from '../assets/dom.js'
import { causesOf, countOf, countsByHour, hoursOf, ofOutcome, sourcesOf } from './outcomes.js'
import { createPlot, hourLabel } from './plot.js'
import { count, makeData, makeRow, showRows } from './table.js'

/** @import { Series } from './plot.js' */
/** @import { Outcome, OutcomeCount } from './types.js' */

/** The plot's order, from the bottom. @type {Outcome[]} */
const ORDER = ['failed', 'canceled', 'completed']
/** ops.css has colours for five. */
const PLOTTED_CAUSES = 5
const LISTED_CAUSES = 10

const sourceChoice = find('#source', HTMLSelectElement)
const hourTable = find('#outcomes-by-hour', HTMLTableElement)
const causeTable = find('#causes', HTMLTableElement)

/** @type {OutcomeCount[]} */
let known = []

/**
 * A plot and the sentence below it: the numbers of the hour under the pointer, or of the whole day.
 * @param {string} name
 */
const createPlotWithNumbers = (name) => {
  const numbers = find(`#${name}-numbers`, HTMLElement)
  /** @type {{hours: number[], series: Series[], ofDay: string}} */
  let shown = { hours: [], series: [], ofDay: '' }
  /** @param {number | null} index */
  const say = (index) => {
    const hour = shown.hours[index ?? -1]
    const counts = shown.series
      .map(({ label, counts: ofHours }) => ({ label, value: ofHours[index ?? -1] ?? 0 }))
      .filter(({ value }) => value > 0)
      .map(({ label, value }) => `${count(value)} ${label}`)
    numbers.textContent =
      hour === undefined ? `In the last day: ${shown.ofDay}` : `${hourLabel(hour)}: ${counts.join(', ') || 'none'}`
  }
  const plot = createPlot(find(`#${name}`, HTMLElement), say)
  return {
    /** @param {number[]} hours @param {Series[]} series @param {string} ofDay */
    show: (hours, series, ofDay) => {
      shown = { hours, series, ofDay }
      plot.show(hours, series)
      say(plot.hourUnderPointer())
    },
  }
}

const outcomePlot = createPlotWithNumbers('outcomes-plot')
const causePlot = createPlotWithNumbers('causes-plot')

/** @param {string} color */
const swatch = (color) => {
  const element = make('span', { className: 'swatch', ariaHidden: 'true' })
  element.style.background = `var(${color})`
  return element
}

const namedColors = ORDER.toReversed().map((outcome) => make('li', {}, swatch(`--${outcome}`), outcome))
find('#legend', HTMLElement).append(...namedColors)

/** @param {OutcomeCount[]} outcomes @param {number[]} hours */
const showOutcomes = (outcomes, hours) => {
  const series = ORDER.map((outcome) => ({
    label: outcome,
    color: `--${outcome}`,
    counts: countsByHour(ofOutcome(outcomes, outcome), hours),
  }))
  const sums = series.map(({ label, counts }) => `${count(counts.reduce((sum, each) => sum + each, 0))} ${label}`)
  outcomePlot.show(hours, series, sums.join(', '))
  const rows = hours.map((hour, index) =>
    makeRow(hourTable, [[hourLabel(hour)], ...series.toReversed().map(({ counts }) => [count(counts[index] ?? 0)])]),
  )
  showRows(hourTable, rows.toReversed())
}

/** @param {OutcomeCount[]} failures @param {number[]} hours */
const showCauses = (failures, hours) => {
  const causes = causesOf(failures)
  const [first, others] = [causes.slice(0, PLOTTED_CAUSES), causes.slice(PLOTTED_CAUSES)]
  const series = first.map(({ source, code, outcomes }, index) => ({
    label: `${code} (${source})`,
    color: `--cause-${index + 1}`,
    counts: countsByHour(outcomes, hours),
  }))
  if (others.length > 0) {
    const outcomes = others.flatMap((cause) => cause.outcomes)
    series.push({ label: 'other', color: '--cause-other', counts: countsByHour(outcomes, hours) })
  }
  const total = countOf(failures)
  causePlot.show(hours, series, `${count(total)} failed`)
  const rows = causes.slice(0, LISTED_CAUSES).map(({ source, code, count: failed }, index) => {
    const share = make('progress', { className: 'usage', max: total, value: failed, ariaHidden: 'true' })
    return makeRow(causeTable, [
      [swatch(series[index]?.color ?? '--cause-other'), source],
      [make('code', {}, code)],
      [makeData(failed, count(failed))],
      [share],
    ])
  })
  showRows(causeTable, rows)
  const left = causes.length - LISTED_CAUSES
  find('#more-causes', HTMLElement).textContent = left > 0 ? `and ${count(left)} less frequent ones` : ''
}

/** Keeps the chosen source, also while it has no jobs. */
const showSources = () => {
  const chosen = sourceChoice.value
  const sources = [...new Set([...sourcesOf(known), ...(chosen ? [chosen] : [])])].toSorted()
  const options = [...sourceChoice.options].slice(1).map(({ value }) => value)
  if (JSON.stringify(options) === JSON.stringify(sources)) return
  while (sourceChoice.options.length > 1) sourceChoice.remove(1)
  sourceChoice.append(...sources.map((source) => make('option', { value: source }, source)))
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
