import { announce, confirmed, find, make, showError } from './dom.js'
import { follow, isOver } from './follow-job.js'
import { createCard, titleOf } from './job-card.js'
import { download, player, save, transcript } from './player.js'

/** @typedef {import('../types.js').Job} Job */
/** @typedef {ReturnType<typeof createCard>} Card */
/** @typedef {{job: Job, card: Card}} Entry */

const list = find('#jobs', HTMLOListElement)
const empty = find('#no-jobs', HTMLElement)
const problem = find('#jobs-problem', HTMLElement)
const more = find('#more', HTMLButtonElement)

/**
 * The list of jobs, newest first, each followed until it ends.
 * @param {import('./api.js').Client} api
 * @param {{onEnd: () => void, onAgain: (job: Job) => void, onTranscribe: (job: Job, provider: string) => void, signal: AbortSignal}} handlers
 */
export const createJobs = (api, { onEnd, onAgain, onTranscribe, signal }) => {
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  /** @type {string | null} */
  let nextCursor = null

  /** @param {() => Promise<unknown>} work */
  const during = async (work) => {
    showError(problem)
    await work().catch((error) => signal.aborted || showError(problem, error))
  }

  /** @param {Entry} entry @param {Job} job */
  const update = (entry, job) => {
    const before = entry.job
    // The title and the cost come from the list and are missing in the event stream.
    entry.job = { ...before, ...job }
    entry.card.draw(entry.job)
    if (before.status === job.status || !isOver(job)) return
    announce(job.status === 'completed' ? `${titleOf(job)} is done.` : `${titleOf(job)} failed: ${job.message}`)
    onEnd()
  }

  /** @param {Entry} entry */
  const watch = (entry) => during(() => follow(api, entry.job.jobId, (job) => update(entry, job), signal))

  /** Reads the whole job when its card comes near the viewport: the list has neither links nor messages. */
  const complete = (/** @type {IntersectionObserverEntry} */ { isIntersecting, target }) => {
    const entry = target instanceof HTMLElement ? entries.get(target.dataset.job ?? '') : undefined
    if (!isIntersecting || !entry) return
    seen.unobserve(target)
    during(async () => update(entry, await api.get(`/jobs/${entry.job.jobId}`, signal)))
  }
  const seen = new IntersectionObserver((changes) => changes.forEach(complete), { rootMargin: '400px' })

  /** @param {Job} job @returns {Entry} */
  const createEntry = (job) => {
    const stage = createStage(() => entry)
    const card = createCard({
      play: () => stage.show(player),
      read: () => stage.show(transcript),
      copy: () => during(() => copyLink(entry.job)),
      download: () => download(entry.job),
      save: (format) => during(() => saveTranscript(api, entry.job, format)),
      transcribe: (provider) => onTranscribe(entry.job, provider),
      again: () => onAgain(entry.job),
      cancel: () => during(async () => update(entry, await api.remove(`/jobs/${entry.job.jobId}`))),
      remove: () => during(() => remove(entry, stage.close)),
    })
    const entry = { job, card }
    card.element.dataset.job = job.jobId
    card.draw(job)
    entries.set(job.jobId, entry)
    return entry
  }

  /** @param {Entry} entry @param {() => void} close */
  const remove = async (entry, close) => {
    const text = `“${titleOf(entry.job)}” is deleted from storage now. Its cost is not refunded.`
    if (!(await confirmed({ title: 'Remove this job?', text, yes: 'Remove' }))) return
    close()
    const removed = await api.remove(`/jobs/${entry.job.jobId}`)
    update(entry, removed)
    announce(`${titleOf(entry.job)} was removed.`)
  }

  /** @param {Job} job @param {'prepend' | 'append'} where */
  const add = (job, where) => {
    const known = entries.get(job.jobId)
    if (known) return update(known, job)
    const entry = createEntry(job)
    list[where](entry.card.element)
    empty.hidden = true
    if (!isOver(job)) watch(entry)
    else if (!job.result && !job.message && !job.removedAt) seen.observe(entry.card.element)
  }

  /** @param {string | null} cursor */
  const load = async (cursor) => {
    const page = await api.get(`/jobs${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`, signal)
    nextCursor = page.nextCursor
    more.hidden = nextCursor === null
    for (const job of page.jobs) add(job, 'append')
    empty.hidden = entries.size > 0
  }

  const clear = () => {
    seen.disconnect()
    entries.clear()
    list.replaceChildren()
  }

  return {
    /** @param {Job} job */
    started: (job) => {
      add(job, 'prepend')
      announce(`${titleOf(job)} is queued.`)
    },
    load: () => during(() => load(null)),
    loadMore: () => during(() => load(nextCursor)),
    clear,
  }
}

/**
 * The area below a job that plays or shows its result. A second click closes it.
 * @param {() => Entry} entryOf
 */
const createStage = (entryOf) => {
  /** @param {boolean} open */
  const set = (open) => {
    const { stage, element } = entryOf().card
    stage.hidden = !open
    if (!open) stage.replaceChildren()
    element.querySelector('[aria-expanded]')?.setAttribute('aria-expanded', `${open}`)
  }
  return {
    close: () => set(false),
    /** @param {(job: Job) => HTMLElement} content */
    show: (content) => {
      const { job, card } = entryOf()
      const isOpen = !card.stage.hidden
      set(!isOpen)
      if (isOpen) return
      const shown = content(job)
      shown.addEventListener('error', () =>
        card.stage.replaceChildren(
          make('p', { className: 'problem' }, 'The browser cannot play this file. You can still download it.'),
        ),
      )
      card.stage.replaceChildren(shown)
    },
  }
}

/** @param {Job} job */
const copyLink = async ({ result }) => {
  const link = result?.mediaUrl ?? ''
  await navigator.clipboard.writeText(link).catch(() => {
    throw new Error(`The browser did not allow copying. The link: ${link}`)
  })
  announce('The link was copied.')
}

/** @param {import('./api.js').Client} api @param {Job} job @param {string} format */
const saveTranscript = async (api, job, format) => {
  const file = await api.file(`/transcribe/transcript?id=${encodeURIComponent(job.jobId)}&format=${format}`)
  save(file, `${titleOf(job).replace(/\.\w{1,4}$/, '') || 'transcript'}.${format}`)
}
