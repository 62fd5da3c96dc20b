/** @import { StartField } from '../types.js' */
/** @typedef {'/import' | '/transcribe' | '/batches' | '/watches'} StartPath */
/** @typedef {{path: StartPath, body: Record<string, unknown>}} StartRequest */
/** @typedef {(name: string) => string} ReadField The value of a visible field, else an empty string. */

/** What a transcript may cost for which nobody has chosen speech recognition. */
export const AUTO_MAX_DOLLARS = '1'

/**
 * The request that the form describes. A file is uploaded first, and is then a source by its id.
 * @param {readonly StartField[]} fields
 * @param {ReadField} field
 * @param {{importId: string | null, uploadId: string | null}} stored
 * @returns {StartRequest}
 */
export const startRequest = (fields, field, stored) => {
  const fieldsOf = (/** @type {StartField['start'][]} */ ...starts) =>
    fields.filter((each) => starts.includes(each.start))
  const isTranscript = field('what') === 'transcript'
  const start = isTranscript ? 'transcribe' : 'import'
  const ofStart = isTranscript ? fieldsOf('words', 'transcribe') : fieldsOf('import')
  const way = isTranscript
    ? { ...engineOf(field), ...(field('way') === 'auto' && { maxCostDollars: Number(AUTO_MAX_DOLLARS) }) }
    : { ...partsOf(field), ...wordsOf(without(fieldsOf('words'), ofStart), field) }
  const from = field('from')
  if (from === 'url' || from === 'file')
    return { path: `/${start}`, body: { ...sourceOf(field, stored), ...way, ...valuesOf(ofStart, field) } }
  const ofAll = fieldsOf(from === 'watch' ? 'watch' : 'batch')
  const ofItems = { ...way, ...valuesOf(without(ofStart, ofAll), field) }
  const body = { ...sourcesOf(field), ...valuesOf(ofAll, field), ...(field('what') !== 'tell' && { [start]: ofItems }) }
  return { path: from === 'watch' ? '/watches' : '/batches', body }
}

/** The fields whose values are not sent with the others. @param {StartField[]} fields @param {StartField[]} others */
const without = (fields, others) => fields.filter(({ name }) => !others.some((other) => other.name === name))

/** @param {ReadField} field @param {{importId: string | null, uploadId: string | null}} stored */
const sourceOf = (field, { importId, uploadId }) => {
  if (field('from') === 'file') return { uploadId }
  return importId !== null && field('what') === 'transcript' ? { importId } : { url: field('url') }
}

/** Of a batch or a watch. @param {ReadField} field */
const sourcesOf = (field) => {
  if (field('from') === 'list') return { playlistUrl: field('url') }
  if (field('from') === 'watch') return { url: field('url') }
  const lines = field('urls').split('\n')
  return { urls: lines.map((line) => line.trim()).filter(Boolean) }
}

/** @param {ReadField} field */
const partsOf = (field) => ({ includeVideo: field('what') !== 'audio', includeAudio: field('what') !== 'silent' })

/** The words that an import is also asked for. @param {StartField[]} fields @param {ReadField} field */
const wordsOf = (fields, field) =>
  field('transcript') ? { transcribe: { ...engineOf(field), ...valuesOf(fields, field) } } : {}

/** @param {ReadField} field */
const engineOf = (field) => {
  const way = field('way')
  return way === 'auto' || way === 'captions' ? { mode: way } : { provider: way }
}

/** The options whose fields are filled in. @param {readonly StartField[]} fields @param {ReadField} field */
const valuesOf = (fields, field) => {
  /** @type {Record<string, any>} */
  const values = {}
  for (const { option, name, part, type, look, value, shown } of fields) {
    const text = shown?.needs && !shown.needs.split(' ').some(field) ? '' : field(name)
    const isList = isListOf(type, look)
    const isEmpty = text === '' || (isList && keywordsIn(text).length === 0)
    if (isEmpty) continue
    if (part) values[option] = { ...values[option], [part]: isList ? keywordsIn(text) : timeOrNumber(text) }
    else if (type === 'boolean') values[option] = value !== 'false'
    else if (look === 'check' && !value) values[option] = true
    else if (isList) values[option] = keywordsIn(text)
    else values[option] = type === 'integer' || type === 'dollars' ? Number(text) : (value ?? text)
  }
  return values
}

/** @param {StartField['type']} type @param {StartField['look']} look */
const isListOf = (type, look) =>
  type === 'list' || (type === 'captionLanguages' && look !== 'check') || (type === 'watchFilter' && look === 'wide')

/** One on each line, or separated by commas. @param {string} text */
const keywordsIn = (text) => {
  const keywords = text.split(/[\n,]/).map((keyword) => keyword.trim())
  return [...new Set(keywords.filter(Boolean))]
}

/** Seconds and counts are numbers in the API. @param {string} text */
const timeOrNumber = (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)
