import { ago, dollars, duration, hostOf, size } from './amounts.js'
import { find, make } from './dom.js'
import { isOver } from './follow.js'

/** @typedef {import('../types.js').Job} Job */
/** @typedef {import('../types.js').Deeds} Deeds */

const states = { queued: 'Queued', running: 'Running', failed: 'Failed', completed: 'Done' }
const stages = {
  resolving: 'Finding the media',
  downloading: 'Downloading',
  processing: 'Putting it together',
  uploading: 'Storing',
  delivering: 'Copying into the bucket',
  recognizing: 'Listening',
}

/** @param {Job} job */
export const titleOf = ({ result, title, url }) =>
  result?.title || title || decodeURIComponent(URL.parse(url)?.pathname.split('/').pop() ?? '') || hostOf(url)

/** @param {Job} job */
export const isSound = ({ result }) => result !== undefined && !result.contentType?.startsWith('video/')

/**
 * One job in the list. It is drawn anew from the job whenever there is news, in place: nothing moves.
 * @param {Deeds} deeds
 */
export const createCard = (deeds) => {
  const template = find('#job-card', HTMLTemplateElement)
  const element = find('li', HTMLLIElement, /** @type {DocumentFragment} */ (template.content.cloneNode(true)))
  const part = (/** @type {string} */ selector) => find(selector, HTMLElement, element)
  const stage = part('.job-stage')
  let drawn = ''

  return {
    element,
    stage,
    /** @param {Job} job */
    draw: (job) => {
      element.dataset.status = job.status
      element.toggleAttribute('data-live', !isOver(job))
      part('.job-title').textContent = titleOf(job)
      part('.job-title').title = job.url
      part('.job-state').textContent = stateOf(job)
      part('.job-state').dataset.state = stateOf(job)
      part('.job-facts').replaceChildren(...factsOf(job).map((fact) => make('span', {}, fact)))
      drawProgress(find('progress', HTMLProgressElement, element), job)
      drawThumb(element, job)
      const actions = actionsOf(job, deeds)
      // Buttons are left alone while they stay the same: one of them may have the focus.
      const names = actions.map(({ name }) => name).join()
      if (names !== drawn) part('.job-actions').replaceChildren(...actions.map(actionButton))
      drawn = names
      for (const button of part('.job-actions').querySelectorAll('button'))
        button.setAttribute('aria-label', `${button.textContent}: ${titleOf(job)}`)
    },
  }
}

/** @param {Job} job */
const stateOf = ({ type, status, startedAt, code, removedAt }) => {
  if (removedAt) return 'Removed'
  if (code === 'CANCELED') return 'Canceled'
  return type === 'transcription' && status === 'queued' && startedAt ? states.running : states[status]
}

/** @param {HTMLProgressElement} bar @param {Job} job */
const drawProgress = (bar, { status, progress }) => {
  const percent = progress?.percent ?? null
  if (percent === null && status !== 'completed') bar.removeAttribute('value')
  else bar.value = status === 'completed' ? 100 : (percent ?? 0)
}

/** @param {HTMLElement} element @param {Job} job */
const drawThumb = (element, job) => {
  const icon = job.type === 'transcription' ? 'words' : isSound(job) ? 'sound' : 'video'
  find('use', SVGUseElement, element).setAttribute('href', `#icon-${icon}`)
  const image = find('img', HTMLImageElement, element)
  const source = job.removedAt ? null : job.result?.thumbnailUrl
  if (!source || image.src === source) return
  image.onload = () => {
    image.hidden = false
  }
  image.src = ours(source)
}

/**
 * A link of this service as a path of this page's own origin, the only one that the page may load from.
 * @param {string} link
 */
export const ours = (link) => {
  const url = new URL(link)
  return url.pathname.startsWith('/media/') ? `${url.pathname}${url.search}` : link
}

/** @param {Job} job @returns {(string | Node)[]} */
const factsOf = (job) => {
  if (job.status === 'failed') return failureFacts(job)
  if (job.status === 'completed') return resultFacts(job)
  const { progress, startedAt } = job
  if (!progress) return [startedAt ? 'Starting' : 'Waiting for its turn', hostOf(job.url)]
  const { stage, downloadedBytes, totalBytes, bytesPerSecond, etaSeconds } = progress
  return [
    stages[/** @type {keyof typeof stages} */ (stage)] ?? stage,
    ...(downloadedBytes > 0 ? [`${size(downloadedBytes)}${totalBytes ? ` of ${size(totalBytes)}` : ''}`] : []),
    ...(bytesPerSecond && stage === 'downloading' ? [`${size(bytesPerSecond)}/s`] : []),
    ...(etaSeconds !== null && stage === 'downloading' ? [`${duration(etaSeconds)} left`] : []),
  ]
}

/** @param {Job} job */
const failureFacts = ({ message, code, url, createdAt }) => [
  make(
    'span',
    { className: code === 'CANCELED' ? '' : 'why' },
    message ?? 'It failed.',
    ' ',
    ...(code ? [make('code', {}, code)] : []),
  ),
  hostOf(url),
  timeOf(createdAt),
]

/** @param {Job} job */
const resultFacts = ({ result, costInDollars, url, createdAt }) => {
  const cost = result?.costInDollars ?? costInDollars
  return [
    ...(result ? [duration(result.duration)] : []),
    ...(result?.width && result.height ? [`${result.width} × ${result.height}`] : []),
    ...(result?.fileSizeBytes ? [size(result.fileSizeBytes)] : []),
    ...(result?.language ? [result.language] : []),
    ...(typeof cost === 'number' ? [dollars(cost)] : []),
    hostOf(url),
    timeOf(createdAt),
    ...(result?.message ? [result.message] : []),
  ]
}

/** @param {string} iso */
const timeOf = (iso) => make('time', { dateTime: iso, title: new Date(iso).toLocaleString('en') }, ago(iso))

/** @typedef {{name: string, act: () => void, away?: boolean, expands?: boolean}} Action */

/** @param {Job} job @param {Deeds} deeds @returns {Action[]} */
const actionsOf = (job, deeds) => {
  if (!isOver(job)) return [{ name: 'Cancel', act: deeds.cancel, away: true }]
  const again = { name: 'Again', act: deeds.again }
  if (job.status === 'failed') return [...quoteActions(job, deeds), again]
  if (job.removedAt) return [again]
  const remove = { name: 'Remove', act: deeds.remove, away: true }
  return [...(job.type === 'import' ? fileActions(job, deeds) : wordActions(deeds)), remove]
}

/** @param {Job} job @param {Deeds} deeds @returns {Action[]} */
const quoteActions = ({ quote }, deeds) =>
  quote
    ? [
        {
          name: `Transcribe for ${dollars(quote.estimatedCostDollars)}`,
          act: () => deeds.transcribe('builtin'),
        },
      ]
    : []

/** What lies in the caller's own bucket is not ours to play. @param {Job} job @param {Deeds} deeds @returns {Action[]} */
const fileActions = ({ result }, deeds) => [
  ...(result?.s3Storage
    ? []
    : [
        { name: 'Play', act: deeds.play, expands: true },
        { name: 'Save', act: deeds.download },
      ]),
  { name: 'Copy link', act: deeds.copy },
  { name: 'Transcribe', act: () => deeds.transcribe('') },
]

/** @param {Deeds} deeds @returns {Action[]} */
const wordActions = (deeds) => [
  { name: 'Read', act: deeds.read, expands: true },
  ...['txt', 'srt', 'vtt', 'json'].map((format) => ({ name: format.toUpperCase(), act: () => deeds.save(format) })),
]

/** @param {Action} action */
const actionButton = ({ name, act, away = false, expands = false }) => {
  const button = make('button', { type: 'button', className: away ? 'away' : '' }, name)
  if (expands) button.setAttribute('aria-expanded', 'false')
  button.addEventListener('click', act)
  return button
}
