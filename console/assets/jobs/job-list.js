import { createCardList } from '../cards.js'
import { announce, find } from '../dom.js'
import { followToEnd, isOver } from '../follow.js'
import { followJob } from '../haul-client.js'
import { jobActions } from './job-actions.js'
import { createJobCard, titleOf } from './job-card.js'
import { failuresIn } from './job-files.js'
import { createJobSearch } from './job-search.js'

/** @import { Job } from '../../types.js' */
/** @import { HaulEvent } from '../haul-client.js' */
/** @typedef {{job: Job, card: ReturnType<typeof createJobCard>}} Entry */

const empty = find('#no-jobs', HTMLElement)
const noneFound = find('#none-found', HTMLElement)

/**
 * @typedef {object} ListHandlers
 * @property {() => void} onEnd
 * @property {(job: Job) => void} onAgain
 * @property {(job: Job, values: Record<string, string>, isStored: boolean) => void} onTranscribe
 * @property {(uploadId: string) => File | null} fileOf A file that was uploaded in this tab.
 * @property {AbortSignal} signal
 */

/** The list of jobs, newest first. Each is followed until it ends. @param {import('../account/api.js').Api} api @param {ListHandlers} handlers */
export const createJobs = (api, handlers) => {
  const { onEnd, signal } = handlers
  /** Of the cards that are shown. */
  let shown = new AbortController()
  const read = (/** @type {string} */ jobId) => api.jobs.get(jobId, { signal })

  /** @param {Entry} entry @param {Partial<Job>} job */
  const update = (entry, job) => {
    const before = entry.job
    // A list that was read again may be older than the card.
    if (isOver(before) && !isOver({ ...before, ...job })) return
    // The title and the cost come from the list and are missing in the event stream.
    entry.job = { ...before, ...job }
    entry.card.draw(entry.job)
    const { status, message } = entry.job
    if (before.status === status || !isOver(entry.job)) return
    const failed = failuresIn(entry.job.result?.files)
    const done = `is done.${failed ? ` ${failed}.` : ''}`
    announce(`${titleOf(entry.job)} ${status === 'completed' ? done : `failed: ${message}`}`)
    onEnd()
  }

  /** @type {(job: Job) => Entry} */
  const create = (job) => {
    const card = createJobCard(jobActions(api, () => entry, { ...handlers, during, update, shownImports }))
    const entry = { job, card }
    card.element.dataset.job = job.jobId
    card.draw(job)
    return entry
  }

  /** The list of the API has neither links nor messages, so a job that has ended is read when its card is seen. @param {Entry} entry */
  const onAdd = (entry) => {
    const { job, card } = entry
    empty.hidden = true
    noneFound.hidden = true
    const whileShown = AbortSignal.any([signal, shown.signal])
    const report = (/** @type {Partial<Job>} */ changed) => update(entry, changed)
    const followed = { path: 'jobs', id: job.jobId, follow: followJob, isOver: () => isOver(entry.job), report }
    if (!isOver(job)) during(() => followToEnd(api, followed, whileShown))
    else if (!job.result && !job.message && !job.removedAt) seen.observe(card.element)
  }
  const seen = whenNear((element) => {
    const entry = entries.get(element.dataset.job ?? '')
    if (entry) during(async () => update(entry, await read(entry.job.jobId)))
  })

  /** @type {(item: Job) => string} */
  const idOf = ({ jobId }) => jobId
  const search = createJobSearch(() => {
    clear()
    during(async () => {
      await load()
      if (search.text() !== '') announce(foundText(entries.size, cards.hasMore()))
    })
  })
  const cards = createCardList(api, { name: 'jobs', signal, idOf, create, onAdd, update, query: search.query })
  const { add, during, entries } = cards
  const shownImports = () =>
    [...entries.values()].map(({ job }) => job).filter(({ type, removedAt }) => type === 'import' && !removedAt)

  const clear = () => {
    shown.abort()
    shown = new AbortController()
    seen.disconnect()
    cards.clear()
    empty.hidden = true
    noneFound.hidden = true
  }

  const load = async () => {
    if (!(await cards.load())) return
    const isEmpty = entries.size === 0
    empty.hidden = !isEmpty || search.text() !== ''
    noneFound.hidden = !isEmpty || search.text() === ''
    find('#searched', HTMLElement).textContent = search.text()
  }

  return {
    /** @param {Job} job */
    started: (job) => {
      // If the new job did not match the search, the form would seem to have done nothing.
      search.clear()
      // An event may have reported the job already, with more fields.
      if (!entries.has(job.jobId)) add(job)
      announce(`${titleOf(job)} is queued.`)
    },
    /** @param {string} jobId */
    show: (jobId) =>
      during(async () => {
        search.clear()
        add(await read(jobId))
        const element = entries.get(jobId)?.card.element
        element?.scrollIntoView({ block: 'center' })
        // The button that asked for it may be in a view that is hidden now.
        element?.querySelector('button')?.focus({ preventScroll: true })
      }),
    /**
     * A job that was started here or elsewhere has started or ended. After a reconnect, an event may be older than what is shown.
     * @param {HaulEvent} event
     */
    told: ({ type, data }) =>
      during(async () => {
        if (!('jobId' in data)) return
        const known = entries.get(data.jobId)
        if (known && !isOver(known.job)) update(known, data)
        // Only the service knows whether the job is searched for.
        const isWanted = () => !known && search.text() === ''
        if (!isWanted()) return
        const job = type === 'job.started' ? data : await read(data.jobId)
        if (isWanted()) add(job)
      }),
    load: () => during(load),
    clear,
  }
}

/** @param {number} count @param {boolean} hasMore */
const foundText = (count, hasMore) => {
  if (count === 0) return 'No jobs found.'
  return count === 1 ? 'One job found.' : `${count} ${hasMore ? 'or more ' : ''}jobs found.`
}

/** Calls `work` once for each observed element, when it comes near the viewport. @param {(element: HTMLElement) => void} work */
const whenNear = (work) => {
  /** @type {IntersectionObserver} */
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { isIntersecting, target } of changes) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue
        observer.unobserve(target)
        work(target)
      }
    },
    { rootMargin: '400px' },
  )
  return observer
}
