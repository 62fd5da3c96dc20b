import { announce, confirmed, copyText, make } from '../dom.js'
import { exportPanel } from '../transcript/export-panel.js'
import { transcriptReader } from '../transcript/reader.js'
import { forgetNames, namesOf, rename } from '../transcript/speaker-names.js'
import { copyFile, transcriptFile } from '../transcript/transcript-file.js'
import { isAudio, ours, titleOf } from './job-card.js'

/** @import { CardActions, FileChoice, Job } from '../../types.js' */
/** @import { Part } from '../transcript/export-panel.js' */
/** @import { Entry, ListHandlers } from './job-list.js' */

/**
 * What the buttons of a job do.
 * @param {import('../account/api.js').Api} api
 * @param {() => Entry} entryOf
 * @param {ListHandlers & {
 *   during: (work: () => Promise<unknown>) => void,
 *   update: (entry: Entry, job: Job) => void,
 *   shownImports: () => Job[],
 * }} list
 * @returns {CardActions}
 */
export const jobActions = (api, entryOf, { during, update, shownImports, fileOf, onAgain, onTranscribe, signal }) => {
  const close = () => showIn(entryOf(), null)

  /** The import whose file a transcript is about, if there is one. @returns {Promise<Job | null>} */
  const mediaSource = async () => {
    const { importId, url } = entryOf().job
    const found = importId ?? shownImports().find((job) => job.url === url && job.status === 'completed')?.jobId
    return found ? api.jobs.get(found, { signal }).catch(() => null) : null
  }

  const read = async () => {
    const { job } = entryOf()
    const [transcript, source] = await Promise.all([api.transcript(job.jobId, 'json', { signal }), mediaSource()])
    const media = playerBeside(source, job.uploadId ? fileOf(job.uploadId) : null)
    const naming = { names: namesOf(job.jobId), rename: rename.bind(null, job.jobId) }
    showIn(entryOf(), transcriptReader(transcript, media, naming))
  }

  const toggleExport = () => {
    const { job, card } = entryOf()
    const isOpen = !card.isOpen('export')
    const file = (/** @type {FileChoice} */ choice) => transcriptFile(api, job.jobId, choice)
    const panel = exportPanel(partsOf(job), {
      save: (choice) => during(async () => save(await file(choice), fileName(entryOf().job, choice.format))),
      copy: (choice) =>
        during(async () => {
          await copyFile(file(choice))
          announce('The transcript was copied.')
        }),
    })
    card.part('export').replaceChildren(...(isOpen ? [panel] : []))
    card.open(isOpen, 'export')
  }

  const remove = async () => {
    const { job } = entryOf()
    const paid = job.result?.costInDollars || job.costInDollars ? ' Its cost is not refunded.' : ''
    const text = `“${titleOf(job)}” is deleted from storage now.${paid}`
    if (!(await confirmed({ title: 'Remove this job?', text, yes: 'Remove' }))) return
    close()
    entryOf().card.open(false, 'export')
    update(entryOf(), await api.jobs.remove(job.jobId))
    forgetNames(job.jobId)
    announce(`${titleOf(entryOf().job)} was removed.`)
  }

  return {
    play: () => (entryOf().card.isOpen() ? close() : showIn(entryOf(), player(entryOf().job))),
    read: () => (entryOf().card.isOpen() ? close() : during(read)),
    copy: () => during(() => copyLink(entryOf().job)),
    download: () => download(entryOf().job),
    export: toggleExport,
    transcribe: (values, isStored) => onTranscribe(entryOf().job, values, isStored),
    again: () => onAgain(entryOf().job),
    cancel: () => during(async () => update(entryOf(), await api.jobs.remove(entryOf().job.jobId))),
    remove: () => during(remove),
  }
}

/** Shows the content below the job. null: closes it. @param {Entry} entry @param {HTMLElement | null} content */
const showIn = ({ card }, content) => {
  card.stage.replaceChildren(...(content ? [content] : []))
  card.open(content !== null)
  const media = card.stage.querySelector('video, audio')
  media?.addEventListener('error', () => {
    const text = 'The browser cannot play this file. You can still download it.'
    media.replaceWith(make('p', { className: 'problem' }, text))
  })
}

/** @param {Job} job */
const copyLink = async ({ result }) => {
  const link = result?.mediaUrl ?? ''
  await copyText(link, `The link: ${link}`)
  announce('The link was copied.')
}

/** The parts that the transcript has. Until its segments are read, it may have speakers. @param {Job} job @returns {Part[]} */
const partsOf = ({ result }) => [
  ...(result?.data?.segments.some(({ speaker }) => speaker) === false ? [] : [/** @type {const} */ ('speakers')]),
  ...(result?.chapters ? [/** @type {const} */ ('chapters')] : []),
  ...(result?.wordsAvailable ? [/** @type {const} */ ('words')] : []),
]

/** @param {Job} job @param {string} format */
const fileName = (job, format) => `${titleOf(job).replace(/\.\w{1,4}$/, '') || 'transcript'}.${format}`

/** @param {Job} job */
const player = (job) => {
  const { result } = job
  const media = makeMedia(isAudio(job), ours(result?.mediaUrl ?? ''), titleOf(job))
  media.preload = 'metadata'
  media.autoplay = true
  if (media instanceof HTMLVideoElement) {
    if (result?.thumbnailUrl) media.poster = ours(result.thumbnailUrl)
    // Reserves the space of the picture before it loads.
    if (result?.width && result.height) media.style.aspectRatio = `${result.width} / ${result.height}`
  }
  return media
}

/**
 * The player for a transcript: of the file of an import, or of a file that was uploaded in this tab. null: neither is
 * available.
 * @param {Job | null} source
 * @param {File | null} file
 */
const playerBeside = (source, file) => {
  const isPlayable = source?.result?.mediaUrl && !source.removedAt && !source.result.s3Storage
  const media = isPlayable ? player(source) : file ? filePlayer(file) : null
  if (media) media.autoplay = false
  return media
}

/** @param {File} file */
const filePlayer = (file) => makeMedia(file.type.startsWith('audio/'), URL.createObjectURL(file), file.name)

/** @param {boolean} hasOnlySound @param {string} src @param {string} ariaLabel */
const makeMedia = (hasOnlySound, src, ariaLabel) => {
  const properties = { src, controls: true, ariaLabel }
  return hasOnlySound ? make('audio', properties) : make('video', { ...properties, playsInline: true })
}

/** Lets the browser download the media file. @param {Job} job */
const download = ({ result }) =>
  make('a', { href: ours(result?.mediaUrl ?? ''), download: result?.filename ?? '' }).click()

/** Saves a file that was fetched with the key. @param {string} text @param {string} name */
const save = (text, name) => {
  const href = URL.createObjectURL(new Blob([text]))
  make('a', { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
