import { make } from '../dom.js'
import { isAudio, ours, titleOf } from './job-card.js'

/** @import { Job } from '../../types.js' */

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

/**
 * The player for a transcript, if its media is here: the file of an import, or one that was uploaded in this tab. null: it
 * is not.
 * @param {Job | null} source
 * @param {File | null} file
 */
export const playerBeside = (source, file) => {
  const isPlayable = source?.result?.mediaUrl && !source.removedAt && !source.result.s3Storage
  const media = isPlayable ? player(source) : file ? filePlayer(file) : null
  if (media) media.autoplay = false
  return media
}

/** @param {File} file */
const filePlayer = (file) => {
  const source = { src: URL.createObjectURL(file), controls: true }
  const media = file.type.startsWith('audio/') ? make('audio', source) : make('video', { ...source, playsInline: true })
  media.setAttribute('aria-label', file.name)
  return media
}

/** Lets the browser download the media file. @param {Job} job */
export const download = ({ result }) =>
  make('a', { href: ours(result?.mediaUrl ?? ''), download: result?.filename ?? '' }).click()

/** Saves a file that was fetched with the key. @param {string} text @param {string} name */
export const save = (text, name) => {
  const href = URL.createObjectURL(new Blob([text]))
  make('a', { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
