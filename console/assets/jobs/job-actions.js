import { announce, confirmed, copyText, make } from '../dom.js'
import { exportPanel } from '../transcript/export-panel.js'
import { transcriptReader } from '../transcript/reader.js'
import { forgetNames, namesOf, rename } from '../transcript/speaker-names.js'
import { copyFile, transcriptFile } from '../transcript/transcript-file.js'
import { titleOf } from './job-card.js'
import { fileList, ours } from './job-files.js'
import { captionedPlayer, playerBeside, replaceIfBroken } from './player.js'

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
  /** @param {string} part */
  const shut = (part) => {
    const { card } = entryOf()
    card.part(part).replaceChildren()
    card.open(false, part)
  }

  /** Opens a part of the card, or closes it. Of two players, the one that was open is closed. @param {string} part @param {() => HTMLElement | Promise<HTMLElement>} content */
  const toggle = (part, content) => {
    const { card } = entryOf()
    if (card.isOpen(part)) return shut(part)
    during(async () => {
      const shown = await content()
      if (players.includes(part)) players.forEach(shut)
      card.part(part).replaceChildren(shown)
      card.open(true, part)
      replaceIfBroken(card.part(part))
    })
  }

  /** The import whose file a transcript is about, if there is one. @returns {Promise<Job | null>} */
  const mediaSource = async () => {
    const { type, importId, url } = entryOf().job
    if (type === 'import') return entryOf().job
    const found = importId ?? shownImports().find((job) => job.url === url && job.status === 'completed')?.jobId
    return found ? api.jobs.get(found, { signal }).catch(() => null) : null
  }

  const read = async () => {
    const { job } = entryOf()
    const [transcript, source] = await Promise.all([api.transcript(job.jobId, 'json', { signal }), mediaSource()])
    const media = playerBeside(source, job.uploadId ? fileOf(job.uploadId) : null)
    const naming = { names: namesOf(job.jobId), rename: rename.bind(null, job.jobId) }
    return transcriptReader(transcript, media, naming)
  }

  const exported = () => {
    const { job } = entryOf()
    const file = (/** @type {FileChoice} */ choice) => transcriptFile(api, job.jobId, choice)
    return exportPanel(partsOf(job), {
      save: (choice) => during(async () => save(await file(choice), fileName(entryOf().job, choice.format))),
      copy: (choice) =>
        during(async () => {
          await copyFile(file(choice))
          announce('The transcript was copied.')
        }),
    })
  }

  const remove = async () => {
    const { job } = entryOf()
    const paid = job.result?.costInDollars || job.costInDollars ? ' Its cost is not refunded.' : ''
    const text = `“${titleOf(job)}” is deleted from storage now.${paid}`
    if (!(await confirmed({ title: 'Remove this job?', text, yes: 'Remove' }))) return
    for (const part of [...players, 'files', 'export']) shut(part)
    update(entryOf(), await api.jobs.remove(job.jobId))
    forgetNames(job.jobId)
    announce(`${titleOf(entryOf().job)} was removed.`)
  }

  return {
    play: () => toggle('stage', () => captionedPlayer(api, entryOf().job, { signal })),
    read: () => toggle('reading', read),
    copy: () => during(() => copyLink(entryOf().job)),
    download: () => download(entryOf().job),
    files: () => toggle('files', () => fileList(entryOf().job.result?.files ?? [])),
    export: () => toggle('export', exported),
    transcribe: (values, isStored) => onTranscribe(entryOf().job, values, isStored),
    again: () => onAgain(entryOf().job),
    cancel: () => during(async () => update(entryOf(), await api.jobs.remove(entryOf().job.jobId))),
    remove: () => during(remove),
  }
}

/** The parts with a player: alone, and beside a transcript. */
const players = ['stage', 'reading']

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

/** Lets the browser download the media file. @param {Job} job */
const download = ({ result }) =>
  make('a', { href: ours(result?.mediaUrl ?? ''), download: result?.filename ?? '' }).click()

/** Saves a file that was fetched with the key. @param {string} text @param {string} name */
const save = (text, name) => {
  const href = URL.createObjectURL(new Blob([text]))
  make('a', { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
