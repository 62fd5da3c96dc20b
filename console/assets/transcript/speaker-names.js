/** The names that people give to speakers. They stay in this browser: for each job a list of pairs of label and name. */

const STORED_AS = 'haul speakers'
/** Of more jobs, the names that were changed longest ago are forgotten. */
const MOST_JOBS = 100
export const MOST_CHARACTERS = 60

/** @typedef {Map<string, string>} Names By the label that the service gives, such as A. */

/** Of this page alone, if the browser stores nothing. @type {Map<string, Names> | null} */
let unstored = null

/** Oldest first. What cannot be read is as good as absent. @returns {Map<string, Names>} */
const readAll = () => {
  if (unstored) return unstored
  try {
    /** @type {[string, [string, string][]][]} */
    const jobs = JSON.parse(localStorage.getItem(STORED_AS) ?? '[]')
    return new Map(jobs.map(([jobId, names]) => [jobId, new Map(names)]))
  } catch {
    return new Map()
  }
}

/** @param {string} jobId @param {Names} names */
const replace = (jobId, names) => {
  const jobs = readAll()
  jobs.delete(jobId)
  if (names.size > 0) jobs.set(jobId, names)
  const kept = [...jobs].slice(-MOST_JOBS).map(([id, each]) => [id, [...each]])
  try {
    if (kept.length === 0) localStorage.removeItem(STORED_AS)
    else localStorage.setItem(STORED_AS, JSON.stringify(kept))
  } catch {
    unstored = jobs
  }
}

/** @param {string} jobId @returns {Names} */
export const namesOf = (jobId) => readAll().get(jobId) ?? new Map()

/**
 * Names a speaker, and returns the names of the job. With an empty name the speaker has the label again.
 * @param {string} jobId
 * @param {string} label
 * @param {string} name
 */
export const rename = (jobId, label, name) => {
  const names = namesOf(jobId)
  const text = onOneLine(name)
  if (text === '' || text === label) names.delete(label)
  else names.set(label, text)
  replace(jobId, names)
  return names
}

/** @param {string} jobId */
export const forgetNames = (jobId) => {
  if (readAll().has(jobId)) replace(jobId, new Map())
}

/** Files have a name on one line. @param {string} text */
const onOneLine = (text) => {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return Array.from(line).slice(0, MOST_CHARACTERS).join('').trim()
}
