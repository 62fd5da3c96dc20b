import { dollars, duration, size } from './amounts.js'
import { find, make } from './dom.js'

/** @typedef {import('../types.js').Metadata} Metadata */
/** @typedef {Record<string, string>} Wishes */

const panel = find('#seen', HTMLElement)

export const hideSeen = () => {
  panel.hidden = true
  panel.replaceChildren()
}

export const showLooking = () => {
  panel.hidden = false
  panel.replaceChildren(make('p', { className: 'looking' }, 'Looking…'))
}

/**
 * What is at a URL, and what each way to haul it would cost. A price that is pressed fills the form in.
 * @param {Metadata} metadata
 * @param {(wishes: Wishes) => void} onChoice
 */
export const showSeen = (metadata, onChoice) => {
  const { title, isLive, estimate, formats } = metadata
  const prices = [...importPrices(metadata), ...wordPrices(estimate.transcription)]
  panel.replaceChildren(
    make('h2', {}, title),
    make('p', { className: 'facts' }, ...factsOf(metadata).map((fact) => make('span', {}, fact))),
    ...(isLive ? [make('p', {}, 'This is a live stream: it can be hauled when it has ended.')] : []),
    make('div', { className: 'prices' }, ...prices.map((price) => priceButton(price, onChoice))),
    ...(formats.length > 1 ? [formatTable(formats)] : []),
  )
  panel.hidden = false
}

/** @param {Metadata} metadata */
const factsOf = ({ duration: seconds, platform, direct, formats, captions }) => {
  const spoken = captions.map(({ language, kind }) => (kind === 'manual' ? language : `${language} (automatic)`))
  return [
    seconds === null ? 'duration not known' : duration(seconds),
    direct ? 'a media file' : platform,
    ...(direct ? formats.map(describe) : []),
    ...(spoken.length > 0 ? [`captions: ${spoken.slice(0, 5).join(', ')}${spoken.length > 5 ? '…' : ''}`] : []),
  ]
}

/** @param {import('../types.js').Format} format */
const describe = ({ container, videoCodec, audioCodec, sizeBytes }) =>
  [container, videoCodec, audioCodec, ...(sizeBytes === null ? [] : [size(sizeBytes)])].filter(Boolean).join(', ')

/** @type {Record<string, string>} */
const plainNames = { lowest: 'Lowest', best: 'Best' }

/** @typedef {{name: string, cost: number | null, hint: string, wishes: Wishes}} Choice */

/**
 * A direct file has one rendition: every quality of it is the same. Else one price for each that differs.
 * @param {Metadata} metadata
 * @returns {Choice[]}
 */
const importPrices = ({ direct, estimate }) => {
  const seen = new Set()
  return estimate.imports.flatMap(({ includeVideo, videoQuality, downloadBytes, costInDollars, isEstimate }) => {
    const isSame = includeVideo && (seen.has(downloadBytes) || (direct && seen.size > 0))
    if (downloadBytes === null || isSame) return []
    if (includeVideo) seen.add(downloadBytes)
    const wishes = includeVideo ? { what: 'both', videoQuality } : { what: 'sound', audioQuality: 'best' }
    const hint = `${isEstimate ? 'about ' : ''}${size(downloadBytes)}`
    const name = includeVideo ? (direct ? 'Video' : (plainNames[videoQuality] ?? videoQuality)) : 'Sound'
    return [{ name, cost: costInDollars, hint, wishes: direct && includeVideo ? { what: 'both' } : wishes }]
  })
}

/**
 * @param {Metadata['estimate']['transcription']} prices
 * @returns {Choice[]}
 */
const wordPrices = ({ platformCaptions, builtin, audioDownload }) => {
  const hint = audioDownload === null ? 'and the download' : 'download included'
  return [
    { name: 'Captions', cost: platformCaptions, hint: 'words that it has', wishes: { what: 'words', provider: '' } },
    {
      name: 'Built-in speech',
      cost: builtin === null ? null : builtin + (audioDownload ?? 0),
      hint,
      wishes: { what: 'words', provider: 'builtin' },
    },
  ].filter(({ cost }) => cost !== null)
}

/** @param {Choice} choice @param {(wishes: Wishes) => void} onChoice */
const priceButton = ({ name, cost, hint, wishes }, onChoice) => {
  const price = cost === null ? 'price not known' : dollars(cost)
  const button = make(
    'button',
    { type: 'button' },
    make('span', {}, name),
    make('b', {}, price),
    make('small', {}, hint),
  )
  button.addEventListener('click', () => onChoice(wishes))
  return button
}

/** @param {import('../types.js').Format[]} formats */
const formatTable = (formats) => {
  const head = ['Quality', 'Container', 'Codecs', 'Bitrate', 'Size'].map((name) => make('th', { scope: 'col' }, name))
  const rows = formats.map(({ quality, container, videoCodec, audioCodec, bitrate, sizeBytes, sizeIsEstimate }) => {
    const cells = [
      quality,
      container,
      [videoCodec, audioCodec].filter(Boolean).join(' + '),
      bitrate === null ? '' : `${Math.round(bitrate / 1000)} kbit/s`,
      sizeBytes === null ? '' : `${sizeIsEstimate ? '≈ ' : ''}${size(sizeBytes)}`,
    ]
    return make('tr', {}, ...cells.map((cell) => make('td', {}, cell)))
  })
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows))
  const summary = make('summary', {}, `${formats.length} formats`)
  return make('details', {}, summary, make('div', { className: 'scroll' }, table))
}
