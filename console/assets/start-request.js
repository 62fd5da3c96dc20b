/** @typedef {'/import' | '/transcribe' | '/batches'} StartPath */
/** @typedef {{path: StartPath, body: Record<string, unknown>}} StartRequest */
/** @typedef {(name: string) => string} ReadField The value of a visible field, else an empty string. */

/**
 * The request that the form describes. A file is uploaded first, and is then a source by its id.
 * @param {ReadField} field
 * @param {{importId: string | null, uploadId: string | null}} stored
 * @returns {StartRequest}
 */
export const startRequest = (field, stored) => {
  const what = field('what')
  const options = what === 'transcript' ? transcribeOptions(field) : importOptions(field)
  const from = field('from')
  if (from === 'urls' || from === 'list') return { path: '/batches', body: batchBody(field, options) }
  const body = { ...sourceOf(field, stored), ...options, ...given({ webhookUrl: field('webhookUrl') }) }
  return { path: what === 'transcript' ? '/transcribe' : '/import', body }
}

/** @param {ReadField} field @param {{importId: string | null, uploadId: string | null}} stored */
const sourceOf = (field, { importId, uploadId }) => {
  if (field('from') === 'file') return { uploadId }
  return importId !== null && field('what') === 'transcript' ? { importId } : { url: field('url') }
}

/** @param {ReadField} field */
const importOptions = (field) => {
  const what = field('what')
  const quality = what === 'audio' ? 'audioQuality' : 'videoQuality'
  const [audioFormat, store] = [field('audioFormat'), field('store')]
  return {
    includeVideo: what !== 'audio',
    includeAudio: what !== 'silent',
    [quality]: field(quality),
    ...(audioFormat && audioFormat !== 'source' ? { audioFormat } : {}),
    ...(store ? { store: true, ...given({ storagePath: field('storagePath') }) } : {}),
    ...(store ? given({ storageFilename: field('storageFilename') }) : {}),
    ...commonOptions(field),
  }
}

/** What a transcript may cost for which nobody has chosen speech recognition. */
export const AUTO_MAX_DOLLARS = '1'

/** @param {ReadField} field */
const transcribeOptions = (field) => {
  const way = field('way')
  const engine = way === 'auto' || way === 'captions' ? { mode: way } : { provider: way }
  const keywords = keywordsIn(field('keywords'))
  return {
    ...engine,
    ...given({ language: field('language'), apiKey: field('apiKey') }),
    ...numbers({ maxCostDollars: field('maxCostDollars') || (way === 'auto' ? AUTO_MAX_DOLLARS : '') }),
    ...(field('words') ? { words: true } : {}),
    ...(field('speakers') ? { speakers: speakersOf(field) } : {}),
    ...(field('translate') ? { translate: 'en' } : {}),
    ...given({ prompt: field('prompt') }),
    ...(keywords.length > 0 ? { keywords } : {}),
    ...commonOptions(field),
  }
}

/** @param {ReadField} field */
const speakersOf = (field) => {
  const count = numbers({ min: field('minSpeakers'), max: field('maxSpeakers') })
  return Object.keys(count).length > 0 ? count : true
}

/** One on each line, or separated by commas. @param {string} text */
export const keywordsIn = (text) => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((keyword) => keyword.trim())
      .filter(Boolean),
  ),
]

/** @param {ReadField} field */
const commonOptions = (field) => {
  const clip = given({ start: clipTime(field('clipStart')), end: clipTime(field('clipEnd')) })
  return {
    ...(Object.keys(clip).length > 0 ? { clip } : {}),
    ...numbers({ reuseWithinSeconds: field('reuseWithinSeconds') }),
  }
}

/** Seconds are a number in the API. @param {string} text */
const clipTime = (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)

/** @param {ReadField} field @param {object} options */
const batchBody = (field, options) => {
  const lines = field('urls').split('\n')
  const isList = field('from') === 'list'
  return {
    ...(isList ? { playlistUrl: field('url') } : { urls: lines.map((line) => line.trim()).filter(Boolean) }),
    ...numbers({ limit: field('limit'), maxCostDollars: field('batchMaxCostDollars') }),
    [field('what') === 'transcript' ? 'transcribe' : 'import']: options,
    ...given({ webhookUrl: field('webhookUrl') }),
  }
}

/** Leaves out the fields that are empty. @param {Record<string, string | number>} fields */
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

/** @param {Record<string, string>} fields */
const numbers = (fields) =>
  Object.fromEntries(Object.entries(given(fields)).map(([name, value]) => [name, Number(value)]))
