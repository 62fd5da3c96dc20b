import { formatToName, withNames } from './named-file.js'
import { namesOf } from './speaker-names.js'

/** @import { FileChoice } from '../../types.js' */
/** @import { Client } from '../api.js' */

/**
 * A file of a transcript, with the names that its speakers were given in this browser.
 * @param {Client} api
 * @param {string} jobId
 * @param {FileChoice} choice
 * @returns {Promise<Blob>}
 */
export const transcriptFile = async (api, jobId, { format, speakers, chapters }) => {
  const names = namesOf(jobId)
  const isNamed = names.size > 0 && (speakers || format === 'json' || format === 'tsv')
  const query = new URLSearchParams({ id: jobId, format: isNamed ? formatToName(format) : format })
  if (speakers) query.set('speakers', '1')
  if (chapters) query.set('chapters', '1')
  const file = await api.file(`/transcribe/transcript?${query}`)
  return isNamed ? new Blob([withNames(await file.text(), format, names)]) : file
}

/**
 * Safari allows copying only if it is asked before the text is loaded.
 * @param {Promise<Blob>} file
 */
export const copyFile = async (file) => {
  try {
    const text = file.then((blob) => blob.text()).then((content) => new Blob([content], { type: 'text/plain' }))
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })])
  } catch {
    // If the text could not be loaded, that is the reason.
    await file
    throw new Error('The browser did not allow copying. Save the plain text instead.')
  }
}
