import { make } from '../dom.js'
import { isAudio, titleOf } from './job-card.js'
import { captionTracks, ours } from './job-files.js'

/** @import { Job } from '../../types.js' */

/** A file in the caller's bucket cannot be played here: the console has no access to it. @param {Job | null} job */
export const canPlay = (job) => Boolean(job?.result?.mediaUrl && !job.removedAt && !job.result.s3Storage)

/**
 * The player of an import, with its captions, which starts at once, at a second.
 * @param {import('../account/api.js').Api} api
 * @param {Job} job
 * @param {{signal: AbortSignal, start?: number}} options
 */
export const captionedPlayer = async (api, job, { signal, start = 0 }) => {
  const readWords = () => api.transcript(job.jobId, 'vtt', { signal }).catch(() => '')
  // A browser shows no tracks of what has only sound.
  const tracks = isAudio(job) ? [] : await captionTracks(job.result?.files ?? [], readWords)
  // A player that nobody sees would be heard.
  signal.throwIfAborted()
  const media = player(job, start)
  media.append(...tracks)
  return media
}

/**
 * The player for a transcript: of the file of an import, or of a file that was uploaded in this tab. null: neither is
 * available.
 * @param {Job | null} source
 * @param {File | null} file
 */
export const playerBeside = (source, file) => {
  const media = source && canPlay(source) ? player(source) : file ? filePlayer(file) : null
  if (media) media.autoplay = false
  return media
}

/** @param {HTMLElement} part */
export const replaceIfBroken = (part) => {
  const media = part.querySelector('video, audio')
  media?.addEventListener('error', () => {
    const text = 'The browser cannot play this file. You can still download it.'
    media.replaceWith(make('p', { className: 'problem' }, text))
  })
}

/** @param {Job} job @param {number} [start] In seconds */
const player = (job, start = 0) => {
  const { result } = job
  const from = start > 0 ? `#t=${start}` : ''
  const media = makeMedia(isAudio(job), `${ours(result?.mediaUrl ?? '')}${from}`, titleOf(job))
  media.preload = 'metadata'
  media.autoplay = true
  if (media instanceof HTMLVideoElement) {
    if (result?.thumbnailUrl) media.poster = ours(result.thumbnailUrl)
    // Reserves the space of the picture before it loads.
    if (result?.width && result.height) media.style.aspectRatio = `${result.width} / ${result.height}`
  }
  return media
}

/** @param {File} file */
const filePlayer = (file) => makeMedia(file.type.startsWith('audio/'), URL.createObjectURL(file), file.name)

/** @param {boolean} hasOnlySound @param {string} src @param {string} ariaLabel */
const makeMedia = (hasOnlySound, src, ariaLabel) => {
  const properties = { src, controls: true, ariaLabel }
  return hasOnlySound ? make('audio', properties) : make('video', { ...properties, playsInline: true })
}
