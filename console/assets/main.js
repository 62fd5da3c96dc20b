import { isScopeMissing, may, permit, readPermissions } from './account/permissions.js'
import { startSignIn } from './account/sign-in.js'
import { createBatches } from './batches/batch-list.js'
import { find } from './dom.js'
import { followAccount } from './follow.js'
import { dollars } from './format.js'
import { HaulApiError, randomKey } from './haul-client.js'
import { clearForm, fillIn, focusOn, hideMoney, offerModels, openForm, useImport } from './job-form.js'
import { createJobs } from './jobs/job-list.js'
import { hidePreview, showLoading, showPlaylist, showPreview } from './jobs/preview.js'
import { uploadFile } from './jobs/upload.js'
import { createKeysView } from './keys/keys-view.js'
import { createSearchView } from './search/search-view.js'
import { goTo, openViews } from './views.js'
import { createWatchesView } from './watches/watches-view.js'

/** @import { Account, Job } from '../types.js' */
/** @import { Api } from './account/api.js' */
/** @import { HaulEvent, StartedBatch, StartedJob, StartedWatch } from './haul-client.js' */
/** @import { StartRequest } from './start-request.js' */

/** Events often come together. */
const TOGETHER_MS = 300

/** @param {Api} api @param {AbortSignal} signal */
const openWorkspace = (api, signal) => {
  const readAccount = async () => {
    if (may('read')) showAccount(await api.account({ signal }))
  }
  const jobs = createJobs(api, {
    signal,
    onEnd: () => void readAccount().catch(() => {}),
    onAgain: (job) => prepare(job, job.type === 'transcription' ? { what: 'transcript' } : {}),
    onTranscribe: (job, values, isStored) =>
      prepare(isStored ? { ...job, importId: job.jobId } : job, { what: 'transcript', ...values }),
    fileOf: (uploadId) => uploaded.get(uploadId) ?? null,
  })
  /** Its results are in the place of the jobs. @param {string} jobId */
  const showJob = (jobId) => {
    said.clear()
    return jobs.show(jobId)
  }
  const said = createSearchView(api, { signal, onShowJob: showJob })
  const batches = createBatches(api, {
    signal,
    onEnd: () => {
      jobs.load()
      readAccount().catch(() => {})
    },
    onShowJob: showJob,
  })
  const watches = createWatchesView(api, {
    signal,
    onShowJob: (jobId) => goTo('jobs', () => showJob(jobId)),
    onNew: () =>
      goTo('jobs', () => {
        hidePreview()
        fillIn({ from: 'watch' })
        focusOn('#url')
      }),
  })
  /** Files of this tab, to be played beside their transcripts. @type {Map<string, File>} */
  const uploaded = new Map()
  openForm({
    onStart: async (request) => {
      const { path, body } = request
      const started = await send(api, request)
      const type = path === '/import' ? 'import' : 'transcription'
      said.clear()
      if ('watchId' in started) goTo('watches', () => watches.started(Number(body.first ?? 0)))
      else if ('batchId' in started) await batches.started(started.batchId)
      else if (started.reused) await jobs.show(started.jobId)
      else jobs.started({ ...started, ...shownOf(body), type, createdAt: new Date().toISOString() })
      clearForm()
      hidePreview()
      focusOn('#url')
      await readAccount()
    },
    onUpload: async (file) => {
      const uploadId = await uploadFile(api, file)
      uploaded.set(uploadId, file)
      return uploadId
    },
    onPreview: async (url) => {
      showLoading()
      const choose = (/** @type {Record<string, string>} */ values) => {
        fillIn(values)
        focusOn('#start')
      }
      try {
        const metadata = await api.metadata(url, { signal })
        if (metadata.isPlaylist) showPlaylist(metadata, choose)
        else showPreview(metadata, choose)
      } catch (error) {
        hidePreview()
        throw error
      }
    },
  })
  if (may('import', 'transcribe')) void api.models({ signal }).then(offerModels, () => offerModels([]))
  find('#refresh', HTMLButtonElement).addEventListener('click', () => {
    jobs.clear()
    jobs.load()
    readAccount().catch(() => {})
  })
  const onOpen = () => {
    jobs.load()
    batches.load()
    watches.load()
  }
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let refreshing
  const onEvent = (/** @type {HaulEvent} */ event) => {
    jobs.told(event)
    watches.told(event)
    if (refreshing) return
    refreshing = setTimeout(() => {
      refreshing = undefined
      batches.load()
      readAccount().catch(() => {})
    }, TOGETHER_MS)
  }
  // A key without `read` sees only what it has started. Jobs that are started here are followed one by one.
  if (may('read')) followAccount(api, { onOpen, onEvent }, signal)
  else if (may('import', 'transcribe')) onOpen()
  for (const part of ['#said-search', '#jobs-section'])
    find(part, HTMLElement).hidden = !may('read', 'import', 'transcribe')
  const signOut = find('#sign-out', HTMLButtonElement)
  find('#to-watches', HTMLElement).hidden = !may('read', 'import', 'transcribe')
  const keys = createKeysView(api, {
    signal,
    onOwnChange: () => location.reload(),
    onOwnRemoval: () => signOut.click(),
  })
  openViews({ jobs: { enter: () => focusOn('#url') }, watches, keys })
}

/** What the card of a job that was just started shows. @param {{url?: string | null, importId?: string, uploadId?: string}} body */
const shownOf = ({ url = null, importId, uploadId }) => ({
  message: undefined,
  url,
  ...(importId ? { importId } : {}),
  ...(uploadId ? { uploadId } : {}),
})

/**
 * The form for another job of the same source. The file of an upload has to be chosen again.
 * @param {Pick<Job, 'url' | 'importId' | 'uploadId'>} source
 * @param {Record<string, string>} values
 */
const prepare = ({ url, importId, uploadId }, values) => {
  hidePreview()
  fillIn({ ...values, from: uploadId ? 'file' : 'url', url: url ?? importId ?? '' })
  useImport(importId ?? null)
  focusOn('#start')
}

/**
 * Starts a job. Without a response, sending the same request again keeps its Idempotency-Key and joins the same job.
 * @param {Api} api
 * @param {StartRequest} request
 * @returns {Promise<StartedJob | StartedBatch | StartedWatch>}
 */
const send = async (api, { path, body }) => {
  const request = path + JSON.stringify(body)
  if (attempt.request !== request) attempt = { request, key: randomKey() }
  /** @type {StartedJob | StartedBatch | StartedWatch} */
  const started = await api.request('POST', path, { body, idempotencyKey: attempt.key }).catch((error) => {
    const isFinal = error instanceof HaulApiError && error.status < 500 && error.status !== 409
    if (isFinal) attempt = noAttempt
    throw error
  })
  attempt = noAttempt
  return started
}
const noAttempt = { request: '', key: '' }
let attempt = noAttempt

const figures = find('#figures', HTMLElement)

/** @param {string} selector @param {string} text */
const write = (selector, text) => {
  find(selector, HTMLElement).textContent = text
}

let importsPerHour = 0
/** Known only from the response to an import. @type {number | null} */
let importsLeft = null

/** Where nothing costs anything, no balance and no ceiling is shown. @param {Account} account */
const showAccount = ({ name, availableDollars, heldDollars, limits, prices: { models, ...prices } }) => {
  const isFree = Object.values({ ...prices, ...models }).every((price) => price === 0)
  figures.hidden = false
  for (const part of figures.querySelectorAll('[data-money]')) part.toggleAttribute('hidden', isFree)
  hideMoney(isFree)
  write('#who-name', name)
  write('#available', dollars(availableDollars))
  write('#held', dollars(heldDollars))
  write('#at-once', `${limits.concurrentJobs.import}`)
  importsPerHour = limits.requestsPerHour.import
  if (importsLeft === null) write('#an-hour', `${importsPerHour}`)
}

/** @param {string} path @param {Headers} headers */
const noteLimits = (path, headers) => {
  if (path !== '/import') return
  importsLeft = Number(headers.get('x-ratelimit-remaining'))
  write('#an-hour', `${importsLeft} of ${importsPerHour} left`)
}

const example = find('#operator-example', HTMLElement)
example.textContent = `${example.textContent}`.replace('https://…', location.origin)

startSignIn({
  name: 'key',
  storedAs: 'haul key',
  missing: 'Paste an API key.',
  forget: find('#sign-out', HTMLButtonElement),
  parts: ['#workspace', '#who', '#to-jobs', '#to-watches', '#to-keys'].map((part) => find(part, HTMLElement)),
  check: async (api) => {
    const account = api.account().catch((error) => {
      if (!isScopeMissing(error)) throw error
    })
    const [permissions, shown] = await Promise.all([readPermissions(api), account])
    permit(permissions)
    if (shown) showAccount(shown)
  },
  open: openWorkspace,
  onResponse: noteLimits,
})
