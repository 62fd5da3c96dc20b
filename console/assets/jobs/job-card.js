import { may, mayCancel } from '../account/permissions.js'
import { createCard } from '../cards.js'
import { find, make, makeTime } from '../dom.js'
import { isOver } from '../follow.js'
import { ago, capitalized, duration, hostOf, percent, price, size } from '../format.js'
import { failuresIn, ours, wordsIn } from './job-files.js'

/** @import { CardActions, Job } from '../../types.js' */
/** @import { Action } from '../cards.js' */

const stages = {
  resolving: 'Resolving the source',
  downloading: 'Downloading',
  processing: 'Processing',
  uploading: 'Uploading',
  delivering: 'Copying to your bucket',
  recognizing: 'Recognizing speech',
}

/** @param {Pick<Job, 'url'> & Partial<Job>} job */
export const titleOf = ({ result, title, url, importId, uploadId }) =>
  result?.title || title || (url === null ? (importId ?? uploadId ?? 'A file') : fileNameOf(url) || hostOf(url))

/** @param {string} url */
const fileNameOf = (url) => {
  const name = URL.parse(url)?.pathname.split('/').pop() ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** @param {Job} job */
const originOf = ({ url, importId }) => (url === null ? (importId ? 'an import' : 'an upload') : hostOf(url))

/** @param {Job} job */
export const isAudio = ({ result }) => result !== undefined && !result.contentType?.startsWith('video/')

/** One job in the list. @param {CardActions} handlers */
export const createJobCard = (handlers) => {
  const card = createCard('job')
  return {
    ...card,
    /** @param {Job} job */
    draw: (job) => {
      card.element.dataset.status = job.status
      card.draw({
        title: titleOf(job),
        hint: job.url ?? '',
        state: stateOf(job),
        isLive: !isOver(job),
        facts: factsOf(job),
        actions: actionsOf(job, handlers),
      })
      drawProgress(find('progress', HTMLProgressElement, card.element), job)
      drawThumb(card.element, job)
    },
  }
}

/** @param {Job} job */
const stateOf = ({ type, status, startedAt, code, removedAt }) => {
  if (removedAt) return 'Removed'
  if (code === 'CANCELED') return 'Canceled'
  return type === 'transcription' && status === 'queued' && startedAt ? 'Running' : capitalized(status)
}

/** @param {HTMLProgressElement} bar @param {Job} job */
const drawProgress = (bar, { status, progress }) => {
  const percent = progress?.percent ?? null
  if (percent === null && status !== 'completed') bar.removeAttribute('value')
  else bar.value = status === 'completed' ? 100 : (percent ?? 0)
}

/** @param {HTMLElement} element @param {Job} job */
const drawThumb = (element, job) => {
  const icon = job.type === 'transcription' ? 'transcript' : isAudio(job) ? 'audio' : 'video'
  find('use', SVGUseElement, element).setAttribute('href', `#icon-${icon}`)
  const image = find('img', HTMLImageElement, element)
  const source = job.removedAt ? null : job.result?.thumbnailUrl
  if (!source || image.src === source) return
  image.onload = () => {
    image.hidden = false
  }
  image.src = ours(source)
}

/** @param {Job} job @returns {(string | Node)[]} */
const factsOf = (job) => {
  if (job.status === 'failed') return failureFacts(job)
  if (job.status === 'completed') return resultFacts(job)
  const { progress, startedAt } = job
  if (!progress) return [startedAt ? 'Starting' : 'Waiting for a free slot', originOf(job)]
  const { stage, downloadedBytes, totalBytes, bytesPerSecond, etaSeconds } = progress
  return [
    stages[/** @type {keyof typeof stages} */ (stage)] ?? stage,
    ...(downloadedBytes > 0 ? [`${size(downloadedBytes)}${totalBytes ? ` of ${size(totalBytes)}` : ''}`] : []),
    ...(bytesPerSecond && stage === 'downloading' ? [`${size(bytesPerSecond)}/s`] : []),
    ...(etaSeconds !== null && stage === 'downloading' ? [`${duration(etaSeconds)} left`] : []),
  ]
}

/** @param {Job} job */
const failureFacts = (job) => [whyOf(job), originOf(job), makeTime(job.createdAt, ago(job.createdAt))]

/** @param {Job} job */
const whyOf = ({ message, code }) => {
  const className = code === 'CANCELED' ? '' : 'why'
  return make('span', { className }, message ?? 'The job failed.', ' ', ...(code ? [make('code', {}, code)] : []))
}

/** @param {Job} job */
const resultFacts = (job) => {
  const { result, costInDollars, createdAt } = job
  const cost = result?.costInDollars ?? costInDollars
  const failed = failuresIn(result?.files)
  return [
    ...(failed ? [make('span', { className: 'why' }, failed)] : []),
    ...(result ? [duration(result.duration)] : []),
    ...(result?.width && result.height ? [`${result.width} × ${result.height}`] : []),
    ...(result?.fileSizeBytes ? [size(result.fileSizeBytes)] : []),
    ...(result ? speechFacts(result) : []),
    ...(typeof cost === 'number' ? [price(cost)] : []),
    originOf(job),
    makeTime(createdAt, ago(createdAt)),
    ...(result?.message ? [result.message] : []),
  ]
}

/** An engine that is less sure of the language may have heard another one. */
const SURE = 0.8

/** @param {import('../../types.js').Result} result */
export const speechFacts = ({ language, languageProbability = 1, translatedTo, model }) => [
  ...(language ? [languageProbability < SURE ? `${language}, ${percent(languageProbability)} sure` : language] : []),
  ...(translatedTo === 'en' ? ['translated into English'] : []),
  ...(model ? [model] : []),
]

/** @param {Job} job @param {CardActions} handlers @returns {Action[]} */
const actionsOf = (job, handlers) => {
  if (!isOver(job)) return mayCancel() ? [{ name: 'Cancel', act: handlers.cancel, away: true }] : []
  const mayStart = may(job.type === 'import' ? 'import' : 'transcribe')
  const again = mayStart ? [{ name: 'Run again', act: handlers.again }] : []
  if (job.status === 'failed') return [...quoteActions(job.quote, false, handlers), ...again]
  if (job.removedAt) return again
  const remove = may('manage') ? [{ name: 'Remove', act: handlers.remove, away: true }] : []
  return [...resultActions(job, handlers), ...remove]
}

/** A file in the caller's bucket cannot be played here: the console has no access to it. @param {Job} job @param {CardActions} handlers @returns {Action[]} */
const resultActions = ({ type, result }, handlers) => {
  const isImport = type === 'import'
  const { files } = result ?? {}
  const isOurs = isImport && result && !result.s3Storage
  const hasWords = !isImport || wordsIn(files)
  return [
    ...(isOurs ? [{ name: 'Play', act: handlers.play, opens: 'stage' }] : []),
    ...(hasWords ? [{ name: 'Read', act: handlers.read, opens: 'reading' }] : []),
    ...(files ? [{ name: 'Files', act: handlers.files, opens: 'files' }] : []),
    ...(isOurs && !files ? [{ name: 'Download', act: handlers.download }] : []),
    ...(hasWords ? [{ name: 'Export', act: handlers.export, opens: 'export' }] : []),
    ...(isImport && result ? [{ name: 'Copy link', act: handlers.copy }, ...speechActions(files, handlers)] : []),
  ]
}

/** @param {import('../../types.js').Quote | undefined} quote @param {boolean} isStored @param {CardActions} handlers @returns {Action[]} */
const quoteActions = (quote, isStored, handlers) => {
  if (!quote || !may('transcribe')) return []
  const about = quote.estimated && quote.estimatedCostDollars ? 'about ' : ''
  const act = () => handlers.transcribe({ way: 'builtin', maxCostDollars: ceilingFor(quote) }, isStored)
  return [{ name: `Recognize the speech for ${about}${price(quote.estimatedCostDollars)}`, act }]
}

/** An estimated length may be too short. What is free has no ceiling. @param {import('../../types.js').Quote} quote */
const ceilingFor = ({ estimated, estimatedCostDollars }) =>
  `${Math.ceil(estimatedCostDollars * (estimated ? 120 : 100) - 1e-6) / 100 || ''}`

/** What is left to do for a transcript. @param {import('../../types.js').JobFile[] | undefined} files @param {CardActions} handlers @returns {Action[]} */
const speechActions = (files, handlers) => {
  const transcript = files?.find(({ kind }) => kind === 'transcript')
  if (transcript?.quote) return quoteActions(transcript.quote, true, handlers)
  const isDone = transcript?.status === 'completed' || !may('transcribe')
  return isDone ? [] : [{ name: 'Transcribe', act: () => handlers.transcribe({ way: 'auto' }, true) }]
}
