import { noteLimits, showAccount } from './account.js'
import { Refused, randomKey } from './api.js'
import { createBatches } from './batch-list.js'
import { find } from './dom.js'
import { followAccount } from './follow.js'
import { clearForm, fillIn, focusOn, openForm, useImport } from './job-form.js'
import { createJobs } from './job-list.js'
import { createKeysView } from './keys/keys-view.js'
import { isScopeMissing, may, permit, readPermissions } from './permissions.js'
import { hidePreview, showLoading, showPlaylist, showPreview } from './preview.js'
import { startSignIn } from './sign-in.js'
import { uploadFile } from './upload.js'
import { openViews } from './views.js'
import { soon } from './wait.js'

/** @import { AccountEvent, Job } from '../types.js' */
/** @import { Client } from './api.js' */
/** @import { StartRequest } from './start-request.js' */

/** Events often come together. */
const TOGETHER_MS = 300

/** @param {Client} api @param {AbortSignal} signal */
const openWorkspace = (api, signal) => {
  const readAccount = async () => {
    if (may('read')) showAccount(await api.get('/account', signal))
  }
  const jobs = createJobs(api, {
    signal,
    onEnd: () => void readAccount().catch(() => {}),
    onAgain: (job) => prepare(job, job.type === 'transcription' ? { what: 'transcript' } : {}),
    onTranscribe: (job, values, isStored) =>
      prepare(isStored ? { ...job, importId: job.jobId } : job, { what: 'transcript', ...values }),
    fileOf: (uploadId) => uploaded.get(uploadId) ?? null,
  })
  const batches = createBatches(api, {
    signal,
    onEnd: () => {
      jobs.load()
      readAccount().catch(() => {})
    },
    onShowJob: jobs.show,
  })
  /** Files of this tab, to be played beside their transcripts. @type {Map<string, File>} */
  const uploaded = new Map()
  openForm({
    onStart: async (request) => {
      const { path, body } = request
      const started = await send(api, request)
      const type = path === '/import' ? 'import' : 'transcription'
      if (path === '/batches') await batches.started(started.batchId)
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
      try {
        const metadata = await api.get(`/metadata?url=${encodeURIComponent(url)}`, signal)
        const show = metadata.isPlaylist ? showPlaylist : showPreview
        show(metadata, (/** @type {Record<string, string>} */ values) => {
          fillIn(values)
          focusOn('#start')
        })
      } catch (error) {
        hidePreview()
        throw error
      }
    },
  })
  find('#refresh', HTMLButtonElement).addEventListener('click', () => {
    jobs.clear()
    jobs.load()
    readAccount().catch(() => {})
  })
  const refreshSoon = soon(TOGETHER_MS, () => {
    batches.refresh()
    readAccount().catch(() => {})
  })
  const onOpen = () => {
    jobs.load()
    batches.load()
  }
  const onEvent = (/** @type {AccountEvent} */ event) => {
    jobs.told(event)
    refreshSoon()
  }
  // A key without `read` sees only what it has started. Jobs that are started here are followed one by one.
  if (may('read')) followAccount(api, { onOpen, onEvent }, signal)
  else if (may('import', 'transcribe')) onOpen()
  find('#jobs-section', HTMLElement).hidden = !may('read', 'import', 'transcribe')
  const signOut = find('#sign-out', HTMLButtonElement)
  openViews(createKeysView(api, { signal, onOwnChange: () => location.reload(), onOwnRemoval: () => signOut.click() }))
}

/** What the card of a job that was just started shows. @param {Record<string, unknown>} body */
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
 * @param {Client} api
 * @param {StartRequest} request
 */
const send = async (api, { path, body }) => {
  const request = path + JSON.stringify(body)
  if (attempt.request !== request) attempt = { request, key: randomKey() }
  const started = await api.post(path, body, attempt.key).catch((error) => {
    const isFinal = error instanceof Refused && error.status >= 400 && error.status < 500 && error.status !== 409
    if (isFinal) attempt = noAttempt
    throw error
  })
  attempt = noAttempt
  return started
}
const noAttempt = { request: '', key: '' }
let attempt = noAttempt

const example = find('#operator-example', HTMLElement)
example.textContent = `${example.textContent}`.replace('https://…', location.origin)

startSignIn({
  name: 'key',
  storedAs: 'haul key',
  missing: 'Paste an API key.',
  forget: find('#sign-out', HTMLButtonElement),
  parts: ['#workspace', '#who', '#to-jobs', '#to-keys'].map((part) => find(part, HTMLElement)),
  check: async (api) => {
    const account = api.get('/account').catch((error) => {
      if (!isScopeMissing(error)) throw error
    })
    const [permissions, shown] = await Promise.all([readPermissions(api), account])
    permit(permissions)
    if (shown) showAccount(shown)
  },
  open: openWorkspace,
  onResponse: noteLimits,
})
