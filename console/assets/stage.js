import { position } from './amounts.js'
import { isSound, ours, titleOf } from './card.js'
import { make } from './dom.js'

/** @typedef {import('../types.js').Job} Job */

/** More lines than this are a burden to the page; the files have them all. */
const MOST_LINES = 2_000

/** @param {Job} job */
export const player = (job) => {
  const { result } = job
  /** @type {Partial<Omit<HTMLMediaElement, 'children' | 'style' | 'dataset'>>} */
  const source = { src: ours(result?.mediaUrl ?? ''), controls: true, preload: 'metadata', autoplay: true }
  const media = isSound(job) ? make('audio', source) : make('video', { ...source, playsInline: true })
  media.setAttribute('aria-label', titleOf(job))
  if (media instanceof HTMLVideoElement) {
    if (result?.thumbnailUrl) media.poster = ours(result.thumbnailUrl)
    // The room that the picture will need, before there is one.
    if (result?.width && result.height) media.style.aspectRatio = `${result.width} / ${result.height}`
  }
  return media
}

/** @param {Job} job */
export const transcript = ({ result }) => {
  const segments = result?.data?.segments ?? []
  const lines = segments.slice(0, MOST_LINES).map(({ start, text, speaker }) => {
    const time = make('time', {}, position(start))
    return make('li', {}, time, make('span', {}, speaker ? `${speaker}: ${text}` : text))
  })
  if (segments.length > MOST_LINES) lines.push(make('li', {}, `${segments.length - MOST_LINES} more: take a file.`))
  const list = make('ol', { className: 'words', tabIndex: 0 }, ...lines)
  list.setAttribute('aria-label', 'Transcript')
  return list
}

/**
 * Hands the media to the browser, which fetches it by itself.
 * @param {Job} job
 */
export const download = ({ result }) =>
  make('a', { href: ours(result?.mediaUrl ?? ''), download: result?.filename ?? '' }).click()

/**
 * Hands over a file that only a request with the key could fetch.
 * @param {Blob} blob
 * @param {string} name
 */
export const save = (blob, name) => {
  const href = URL.createObjectURL(blob)
  make('a', { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
