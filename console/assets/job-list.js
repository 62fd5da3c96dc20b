import { announce, confirmed, find, make, showError } from './dom.js'
import { follow, isOver } from './follow-job.js'
import { createCard, titleOf } from './job-card.js'
import { download, player, playerBeside, save } from './player.js'
import { transcriptReader } from './transcript.js'

/** @typedef {import('../types.js').Job} Job */
/** @typedef {ReturnType<typeof createCard>} Card */
/** @typedef {{job: Job, card: Card}} Entry */

const list = find('#jobs', HTMLOListElement)
const empty = find('#no-jobs', HTMLElement)
const problem = find('#jobs-problem', HTMLElement)
const more = find('#more', HTMLButtonElement)

/**
 * @typedef {object} ListHandlers
 * @property {() => void} onEnd
 * @property {(job: Job) => void} onAgain
 * @property {(job: Job, provider: string, isStored: boolean) => void} onTranscribe
 * @property {(uploadId: string) => File | null} fileOf A file that was uploaded in this tab.
 * @property {AbortSignal} signal
 */

/**
 * The list of jobs, newest first, each followed until it ends.
 * @param {import('./api.js').Client} api
 * @param {ListHandlers} handlers
 */
export const createJobs = (api, { onEnd, onAgain, onTranscribe, fileOf, signal }) => {
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
  const watch = (entry) =>
    during(() =>
      follow(
        api,
        () => entry.job,
        (job) => update(entry, job),
        signal,
      ),
    )

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
      read: () => during(() => read(entry, stage)),
      copy: () => during(() => copyLink(entry.job)),
      download: () => download(entry.job),
      save: (format) => during(() => saveTranscript(api, entry.job, format)),
      transcribe: (provider, isStored) => onTranscribe(entry.job, provider, isStored),
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

  /** @param {Entry} entry @param {ReturnType<typeof createStage>} stage */
  const read = async ({ job }, stage) => {
    if (stage.isOpen()) return stage.close()
    const path = `/transcribe/transcript?id=${encodeURIComponent(job.jobId)}&format=json`
    const [text, source] = await Promise.all([api.text(path, signal), mediaOf(job)])
    const media = playerBeside(source, job.uploadId ? fileOf(job.uploadId) : null)
    stage.show(() => transcriptReader(JSON.parse(text), media))
  }

  /** The import whose file a transcript is about, if there is one. @param {Job} job @returns {Promise<Job | null>} */
  const mediaOf = async ({ importId, url }) => {
    if (importId) return api.get(`/jobs/${importId}`, signal).catch(() => null)
    const imports = [...entries.values()].map((entry) => entry.job).filter(({ type }) => type === 'import')
    const found = imports.find((job) => job.url === url && job.status === 'completed' && !job.removedAt)
    return found ? api.get(`/jobs/${found.jobId}`, signal).catch(() => null) : null
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
      // An event may have told more of it already.
      if (!entries.has(job.jobId)) add(job, 'prepend')
      announce(`${titleOf(job)} is queued.`)
    },
    /** @param {string} jobId */
    show: (jobId) =>
      during(async () => {
        add(await api.get(`/jobs/${jobId}`, signal), 'prepend')
        entries.get(jobId)?.card.element.scrollIntoView({ block: 'center' })
      }),
    /**
     * A job that was started here or elsewhere has started or ended. After a reconnect, an event may be older than what is shown.
     * @param {import('../types.js').AccountEvent} event
     */
    told: ({ type, data }) =>
      during(async () => {
        if (!('jobId' in data)) return
        const known = entries.get(data.jobId)
        if (known && !isOver(known.job)) update(known, data)
        if (!known) add(type === 'job.started' ? data : await api.get(`/jobs/${data.jobId}`, signal), 'prepend')
      }),
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
    isOpen: () => !entryOf().card.stage.hidden,
    /** @param {(job: Job) => HTMLElement} content */
    show: (content) => {
      const { job, card } = entryOf()
      const isOpen = !card.stage.hidden
      set(!isOpen)
      if (isOpen) return
      const shown = content(job)
      const media = shown instanceof HTMLMediaElement ? shown : shown.querySelector('video, audio')
      media?.addEventListener('error', () =>
        media.replaceWith(
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
