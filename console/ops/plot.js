import { find, make } from '../assets/dom.js'
import { count } from './tables.js'

/** A series of a stacked plot. `color`: a property of ops.css. @typedef {{label: string, color: string, counts: number[]}} Series */

const HOUR_MS = 3_600_000
/** Few jobs are low bars. */
const LOWEST_TOP = 4
const LABELLED_HOURS = 5

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** @param {number} hourMs */
export const hourLabel = (hourMs) => `${clock.format(hourMs)}–${clock.format(hourMs + HOUR_MS)}`

/** @param {'svg' | 'rect'} name @param {Record<string, number | string>} attributes */
const makeSvg = (name, attributes) => {
  /** @type {SVGElement} */
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, `${value}`)
  return element
}

/**
 * Stacked bars for each hour, the first series at the bottom, where its bars are easiest to compare. The sentence below has
 * the numbers of the hour under the pointer, or of the whole day. Returns what shows other numbers.
 * @param {string} name
 */
export const createPlot = (name) => {
  const numbers = find(`#${name}-numbers`, HTMLElement)
  const top = make('span')
  const bars = makeSvg('svg', { preserveAspectRatio: 'none' })
  const axis = make('div', { className: 'axis' })
  find(`#${name}`, HTMLElement).append(top, bars, axis)
  /** @type {{hours: number[], series: Series[], ofDay: string}} */
  let shown = { hours: [], series: [], ofDay: '' }
  let pointed = -1

  const say = () => {
    const hour = shown.hours[pointed]
    const counts = shown.series
      .filter(({ counts }) => (counts[pointed] ?? 0) > 0)
      .map(({ label, counts }) => `${count(counts[pointed] ?? 0)} ${label}`)
    numbers.textContent =
      hour === undefined ? `In the last day: ${shown.ofDay}` : `${hourLabel(hour)}: ${counts.join(', ') || 'none'}`
  }
  bars.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = bars.getBoundingClientRect()
    pointed = Math.floor(((clientX - left) / width) * shown.hours.length)
    say()
  })
  bars.addEventListener('pointerleave', () => {
    pointed = -1
    say()
  })

  /** @param {number[]} hours @param {Series[]} series @param {string} ofDay */
  return (hours, series, ofDay) => {
    shown = { hours, series, ofDay }
    const totals = hours.map((_, hour) => series.reduce((sum, { counts }) => sum + (counts[hour] ?? 0), 0))
    const highest = Math.max(LOWEST_TOP, ...totals)
    bars.setAttribute('viewBox', `0 0 ${hours.length} ${highest}`)
    bars.replaceChildren(...hours.flatMap((_, hour) => stackOf(series, hour, highest)))
    top.textContent = count(highest)
    axis.replaceChildren(
      ...hours.map((hour, index) => make('span', {}, index % LABELLED_HOURS === 0 ? clock.format(hour) : '')),
    )
    say()
  }
}

/** @param {Series[]} series @param {number} hour @param {number} highest */
const stackOf = (series, hour, highest) => {
  let y = highest
  return series.map(({ color, counts }) => {
    const height = counts[hour] ?? 0
    y -= height
    const bar = makeSvg('rect', { x: hour + 0.05, y, width: 0.9, height })
    bar.style.fill = `var(${color})`
    return bar
  })
}
