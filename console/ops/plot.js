import { make } from '../assets/dom.js'
import uPlot from '../vendor/uplot/uPlot.esm.js'

/**
 * A series of a stacked plot.
 * @typedef {{label: string, color: string, counts: number[]}} Series
 */

const HEIGHT_PX = 200
const HOUR_S = 3600
/** The axis of counts has whole numbers. */
const STEPS = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => digit * 10 ** power))
STEPS.sort((a, b) => a - b)
const LOWEST_TOP = 4

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** @param {number} hourMs */
export const hourLabel = (hourMs) => `${clock.format(hourMs)}–${clock.format(hourMs + HOUR_S * 1000)}`

/** @param {Series[]} series */
const stack = (series) => {
  let top = /** @type {number[]} */ ([])
  return series.map(({ counts }) => {
    top = counts.map((count, index) => count + (top[index] ?? 0))
    return top
  })
}

/**
 * Stacked bars for each hour. The first series is at the bottom, where its bars are easiest to compare.
 * @param {HTMLElement} element
 * @param {(index: number | null) => void} onHour The hour under the pointer.
 */
export const createPlot = (element, onHour) => {
  /** @type {uPlot | undefined} */
  let plot
  let drawn = ''
  /** @type {{hours: number[], series: Series[]} | undefined} */
  let shown
  // A canvas knows neither var() nor light-dark().
  const probe = make('span', { hidden: true })
  element.append(probe)
  /** @param {string} property */
  const colorOf = (property) => {
    probe.style.color = `var(${property})`
    return getComputedStyle(probe).color
  }

  /** @param {Series[]} series @returns {uPlot.Options} */
  const optionsFor = (series) => {
    const line = { stroke: colorOf('--line'), width: 1 }
    const axis = {
      stroke: colorOf('--muted'),
      grid: { ...line, show: false },
      ticks: line,
      font: '12px system-ui, sans-serif',
    }
    const bars = uPlot.paths.bars?.({ align: 1, size: [0.9, 60], gap: 1 })
    return {
      width: Math.max(element.clientWidth, 200),
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { range: (_, first, last) => [first, last + HOUR_S] },
        y: { range: (_, __, top) => [0, Math.max(LOWEST_TOP, Math.ceil((top ?? 0) * 1.08))] },
      },
      axes: [
        {
          ...axis,
          values: (_, times) => times.map((time) => clock.format(time * 1000)),
          incrs: [3, 6, 12].map((h) => h * HOUR_S),
          space: 44,
        },
        { ...axis, grid: line, ticks: { ...line, show: false }, incrs: STEPS, size: 44 },
      ],
      // The highest stack is drawn first, and each lower one over it.
      series: [
        {},
        ...series.toReversed().map(({ label, color }) => ({
          label,
          fill: colorOf(color),
          stroke: colorOf('--surface'),
          width: 0,
          ...(bars ? { paths: bars } : {}),
          points: { show: false },
        })),
      ],
      hooks: { setCursor: [() => onHour(hourUnderPointer())] },
    }
  }

  /** Not the cursor's index, which is that of the nearest start of an hour. */
  const hourUnderPointer = () => {
    const left = plot?.cursor.left ?? -1
    const first = shown?.hours[0]
    if (!plot || left < 0 || first === undefined) return null
    return Math.floor((plot.posToVal(left, 'x') - first / 1000) / HOUR_S)
  }

  const draw = () => {
    if (!shown) return
    const { hours, series } = shown
    const data = /** @type {uPlot.AlignedData} */ ([hours.map((hour) => hour / 1000), ...stack(series).toReversed()])
    const look = JSON.stringify([series.map(({ label, color }) => [label, colorOf(color)]), colorOf('--muted')])
    if (plot && look === drawn) return plot.setData(data)
    plot?.destroy()
    drawn = look
    plot = new uPlot(optionsFor(series), data, element)
  }

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  new ResizeObserver(() => plot?.setSize({ width: Math.max(element.clientWidth, 200), height: HEIGHT_PX })).observe(
    element,
  )

  return {
    hourUnderPointer,
    /** @param {number[]} hours @param {Series[]} series */
    show: (hours, series) => {
      shown = { hours, series }
      draw()
    },
  }
}
