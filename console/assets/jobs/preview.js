import { find, make, makeButton, makeTable } from '../dom.js'
import { duration, price as priceText, size } from '../format.js'

/** @import { Format, Metadata, PlaylistMetadata } from '../../types.js' */
/** @typedef {Record<string, string>} FormValues */

const panel = find('#preview-panel', HTMLElement)

/** @param {Node[]} parts Without any, the panel is hidden. */
const show = (...parts) => {
  panel.hidden = parts.length === 0
  panel.replaceChildren(...parts)
}

export const hidePreview = () => show()

export const showLoading = () => show(make('p', { className: 'muted facts' }, 'Loading…'))

/**
 * The first entries of a playlist. The buttons make it the source of a batch, or of a watch.
 * @param {PlaylistMetadata} playlist
 * @param {(values: FormValues) => void} onChoice
 */
export const showPlaylist = ({ title, count, entries }, onChoice) => {
  const items = entries.map((entry) => {
    const length = entry.duration === null ? '' : ` (${duration(entry.duration)})`
    return make('li', { title: entry.url }, `${entry.title ?? entry.url}${length}`)
  })
  show(
    make('h2', {}, title ?? 'A playlist'),
    make('p', { className: 'muted facts' }, `${count ?? `at least ${entries.length}`} entries`),
    make('ol', { className: 'entries' }, ...items),
    make(
      'div',
      { className: 'tiles' },
      makeButton('Start as a batch', () => onChoice({ from: 'list' })),
      makeButton('Watch for new items', () => onChoice({ from: 'watch' })),
    ),
  )
}

/**
 * What is at a URL, and what each output would cost. Clicking a price fills in the form.
 * @param {Metadata} metadata
 * @param {(values: FormValues) => void} onChoice
 */
export const showPreview = (metadata, onChoice) => {
  const { title, isLive, estimate, formats } = metadata
  const prices = [...importPrices(metadata), ...transcriptPrices(estimate.transcription)]
  show(
    make('h2', {}, title),
    make('p', { className: 'row muted facts' }, ...factsOf(metadata).map((fact) => make('span', {}, fact))),
    ...(isLive ? [make('p', {}, 'This is a live stream. Import it after it has ended.')] : []),
    make('div', { className: 'tiles' }, ...prices.map((price) => priceButton(price, onChoice))),
    ...(formats.length > 1 ? [formatTable(formats)] : []),
  )
}

/** @param {Metadata} metadata */
const factsOf = ({ duration: seconds, durationIsEstimate, platform, direct, formats, captions }) => {
  const spoken = captions.map(({ language, kind }) => (kind === 'manual' ? language : `${language} (automatic)`))
  return [
    seconds === null ? 'unknown duration' : `${durationIsEstimate ? 'about ' : ''}${duration(seconds)}`,
    direct ? 'a media file' : platform,
    ...(direct ? formats.map(describe) : []),
    ...(spoken.length > 0 ? [`captions: ${spoken.slice(0, 5).join(', ')}${spoken.length > 5 ? '…' : ''}`] : []),
  ]
}

/** @param {Format} format */
const describe = ({ container, videoCodec, audioCodec, sizeBytes }) =>
  [container, videoCodec, audioCodec, ...(sizeBytes === null ? [] : [size(sizeBytes)])].filter(Boolean).join(', ')

/** @type {Record<string, string>} */
const plainNames = { lowest: 'Lowest', best: 'Best' }

/** @typedef {{name: string, cost: number | null, hint: string, values: FormValues}} Choice */

/**
 * A direct file has one rendition, so one price. Other sources have one price for each size that differs.
 * @param {Metadata} metadata
 * @returns {Choice[]}
 */
const importPrices = ({ direct, estimate }) => {
  const seen = new Set()
  return estimate.imports.flatMap(({ includeVideo, videoQuality, downloadBytes, costInDollars, isEstimate }) => {
    const isSame = includeVideo && (seen.has(downloadBytes) || (direct && seen.size > 0))
    if (downloadBytes === null || isSame) return []
    if (includeVideo) seen.add(downloadBytes)
    const values = includeVideo ? { what: 'video', videoQuality } : { what: 'audio', audioQuality: 'best' }
    const hint = `${isEstimate ? 'about ' : ''}${size(downloadBytes)}`
    const name = includeVideo ? (direct ? 'Video' : (plainNames[videoQuality] ?? videoQuality)) : 'Audio only'
    return [{ name, cost: costInDollars, hint, values: direct && includeVideo ? { what: 'video' } : values }]
  })
}

/** @param {Metadata['estimate']['transcription']} prices @returns {Choice[]} */
const transcriptPrices = ({ platformCaptions, builtin, audioDownload }) => {
  const by = (/** @type {string} */ way) => ({ what: 'transcript', way })
  const cost = builtin === null ? null : builtin + (audioDownload ?? 0)
  const hint = audioDownload === null ? 'plus the download' : 'download included'
  return [
    { name: 'Captions', cost: platformCaptions, hint: 'existing captions', values: by('captions') },
    { name: 'Built-in speech', cost, hint, values: by('builtin') },
  ].filter((choice) => choice.cost !== null)
}

/** @param {Choice} choice @param {(values: FormValues) => void} onChoice */
const priceButton = ({ name, cost, hint, values }, onChoice) => {
  const price = cost === null ? 'unknown price' : priceText(cost)
  const button = makeButton('', () => onChoice(values))
  button.append(make('span', {}, name), make('b', {}, price), make('small', {}, hint))
  return button
}

/** @param {Format[]} formats */
const formatTable = (formats) => {
  const rows = formats.map(({ quality, container, videoCodec, audioCodec, bitrate, sizeBytes, sizeIsEstimate }) => {
    const cells = [
      quality,
      container,
      [videoCodec, audioCodec].filter(Boolean).join(' + '),
      bitrate === null ? '' : `${Math.round(bitrate / 1000)} kbit/s`,
      sizeBytes === null ? '' : `${sizeIsEstimate ? '≈ ' : ''}${size(sizeBytes)}`,
    ]
    return cells.map((cell) => make('td', {}, cell))
  })
  const table = makeTable(['Quality', 'Container', 'Codecs', 'Bitrate', 'Size'], rows)
  return make('details', {}, make('summary', {}, `${formats.length} formats`), table)
}
