import { announce, confirmed, copyText, make } from './dom.js'
import { titleOf } from './job-card.js'
import { download, player, playerBeside, save } from './player.js'
import { transcriptReader } from './transcript.js'

/** @import { CardActions, Job } from '../types.js' */
/** @import { Entry, ListHandlers } from './job-list.js' */

/**
 * What the buttons of a job do.
 * @param {import('./api.js').Client} api
 * @param {() => Entry} entryOf
 * @param {ListHandlers & {
 *   during: (work: () => Promise<unknown>) => void,
 *   update: (entry: Entry, job: Job) => void,
 *   shownImports: () => Job[],
 * }} list
 * @returns {CardActions}
 */
export const jobActions = (api, entryOf, { during, update, shownImports, fileOf, onAgain, onTranscribe, signal }) => {
  const path = () => `/jobs/${entryOf().job.jobId}`
  const transcriptPath = (/** @type {string} */ format) =>
    `/transcribe/transcript?id=${encodeURIComponent(entryOf().job.jobId)}&format=${format}`
  const close = () => showIn(entryOf(), null)

  /** The import whose file a transcript is about, if there is one. @returns {Promise<Job | null>} */
  const mediaSource = async () => {
    const { importId, url } = entryOf().job
    const found = importId ?? shownImports().find((job) => job.url === url && job.status === 'completed')?.jobId
    return found ? api.get(`/jobs/${found}`, signal).catch(() => null) : null
  }

  const read = async () => {
    const { job } = entryOf()
    const [text, source] = await Promise.all([api.text(transcriptPath('json'), signal), mediaSource()])
    const media = playerBeside(source, job.uploadId ? fileOf(job.uploadId) : null)
    showIn(entryOf(), transcriptReader(JSON.parse(text), media))
  }

  const remove = async () => {
    const { job } = entryOf()
    const paid = job.result?.costInDollars || job.costInDollars ? ' Its cost is not refunded.' : ''
    const text = `“${titleOf(job)}” is deleted from storage now.${paid}`
    if (!(await confirmed({ title: 'Remove this job?', text, yes: 'Remove' }))) return
    close()
    update(entryOf(), await api.remove(path()))
    announce(`${titleOf(entryOf().job)} was removed.`)
  }

  return {
    play: () => (entryOf().card.isOpen() ? close() : showIn(entryOf(), player(entryOf().job))),
    read: () => (entryOf().card.isOpen() ? close() : during(read)),
    copy: () => during(() => copyLink(entryOf().job)),
    download: () => download(entryOf().job),
    save: (format) => during(async () => save(await api.file(transcriptPath(format)), fileName(entryOf().job, format))),
    transcribe: (values, isStored) => onTranscribe(entryOf().job, values, isStored),
    again: () => onAgain(entryOf().job),
    cancel: () => during(async () => update(entryOf(), await api.remove(path()))),
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

/** @param {Job} job @param {string} format */
const fileName = (job, format) => `${titleOf(job).replace(/\.\w{1,4}$/, '') || 'transcript'}.${format}`
