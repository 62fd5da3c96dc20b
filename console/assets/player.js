import { make } from './dom.js'
import { position } from './format.js'
import { isAudio, ours, titleOf } from './job-card.js'

/** @typedef {import('../types.js').Job} Job */

/** More lines make the page slow. The downloadable files have all of them. */
const MAX_LINES = 2_000

/** @param {Job} job */
export const player = (job) => {
  const { result } = job
  /** @type {Partial<Omit<HTMLMediaElement, 'children' | 'style' | 'dataset'>>} */
  const source = { src: ours(result?.mediaUrl ?? ''), controls: true, preload: 'metadata', autoplay: true }
  const media = isAudio(job) ? make('audio', source) : make('video', { ...source, playsInline: true })
  media.setAttribute('aria-label', titleOf(job))
  if (media instanceof HTMLVideoElement) {
    if (result?.thumbnailUrl) media.poster = ours(result.thumbnailUrl)
    // Reserves the space of the picture before it loads.
    if (result?.width && result.height) media.style.aspectRatio = `${result.width} / ${result.height}`
  }
  return media
}

/** @param {Job} job */
export const transcript = ({ result }) => {
  const segments = result?.data?.segments ?? []
  const lines = segments.slice(0, MAX_LINES).map(({ start, text, speaker }) => {
    const time = make('time', {}, position(start))
    return make('li', {}, time, make('span', {}, speaker ? `${speaker}: ${text}` : text))
  })
  if (segments.length > MAX_LINES)
    lines.push(make('li', {}, `${segments.length - MAX_LINES} more lines. Download the file to read them.`))
  const list = make('ol', { className: 'words', tabIndex: 0 }, ...lines)
  list.setAttribute('aria-label', 'Transcript')
  return list
}

/**
 * Lets the browser download the media file.
 * @param {Job} job
 */
export const download = ({ result }) =>
  make('a', { href: ours(result?.mediaUrl ?? ''), download: result?.filename ?? '' }).click()

/**
 * Saves a file that was fetched with the key.
 * @param {Blob} blob
 * @param {string} name
 */
export const save = (blob, name) => {
  const href = URL.createObjectURL(blob)
  make('a', { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
