/** @typedef {import('./types.js').Sample} Sample */

const seriesName = /[a-zA-Z_:][\w:]*/y
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/y
/** @type {Record<string, string>} */
const escapes = { n: '\n' }

/**
 * Reads `name{label="value",…}` at the start of the text.
 * @param {string} text
 * @returns {{name: string, labels: Record<string, string>, rest: string}}
 */
export const parseSeries = (text) => {
  seriesName.lastIndex = 0
  const name = seriesName.exec(text)?.[0]
  if (name === undefined) throw new Error(`This is not a metric: ${text}`)
  /** @type {Record<string, string>} */
  const labels = {}
  let end = name.length
  if (text[end] === '{') {
    label.lastIndex = end + 1
    end = label.lastIndex
    for (let match = label.exec(text); match; match = label.exec(text)) {
      labels[`${match[1]}`] = `${match[2]}`.replace(/\\(.)/g, (_, escaped) => escapes[escaped] ?? escaped)
      end = label.lastIndex
    }
    if (text[end] !== '}') throw new Error(`The labels of this metric cannot be read: ${text}`)
    end += 1
  }
  return { name, labels, rest: text.slice(end) }
}

/** @param {string} line @returns {Sample} */
const parseSample = (line) => {
  const { name, labels, rest } = parseSeries(line)
  // A timestamp and an exemplar may follow the value.
  const value = Number.parseFloat(rest.trim().replace('Inf', 'Infinity'))
  if (Number.isNaN(value)) throw new Error(`The value of this metric cannot be read: ${line}`)
  return { name, labels, value }
}

/**
 * The samples of a text in the format OpenMetrics.
 * @param {string} text
 */
export const parseMetrics = (text) => {
  const lines = text.trimEnd().split('\n')
  // The last line shows that nothing is cut off.
  if (lines.pop() !== '# EOF') throw new Error('The metrics are incomplete.')
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseSample)
}

/**
 * The samples of a series such as `haul_engines{state="running"}`, whatever their other labels are.
 * @param {Sample[]} samples
 * @param {string} series
 */
const matching = (samples, series) => {
  const { name, labels } = parseSeries(series)
  const wanted = Object.entries(labels)
  return samples.filter(
    (sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value),
  )
}

/** @param {Sample[]} samples @param {string} series */
export const sumOf = (samples, series) => matching(samples, series).reduce((sum, { value }) => sum + value, 0)

/** @param {Sample[]} samples @param {string} series */
export const maxOf = (samples, series) => matching(samples, series).reduce((max, { value }) => Math.max(max, value), 0)

/**
 * The smallest bound of a histogram below which the share of its values lies: Infinity above the last bound, null
 * without values.
 * @param {Sample[]} samples
 * @param {string} histogram
 * @param {number} share
 */
export const boundOf = (samples, histogram, share) => {
  const count = sumOf(samples, `${histogram}_count`)
  if (count === 0) return null
  const bounds = matching(samples, `${histogram}_bucket`)
    .filter(({ value }) => value >= share * count)
    .map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')))
  return Math.min(Number.POSITIVE_INFINITY, ...bounds)
}
