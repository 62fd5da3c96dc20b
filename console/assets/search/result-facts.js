import { titleOf } from '../jobs/job-card.js'
import { ours } from '../jobs/job-files.js'

/** @import { SearchResult } from '../../types.js' */

/** @param {Pick<SearchResult, 'title' | 'url'>} result */
export const resultTitle = ({ title, url }) => titleOf({ title, url })

/** The import whose file can be played at the result, while it is stored. null: none is known. @param {Pick<SearchResult, 'jobId' | 'link'>} result */
export const importOf = ({ jobId, link }) => {
  if (jobId.startsWith('imp_')) return jobId
  return (link && /^\/media\/(imp_[^/]+)\//.exec(ours(link))?.[1]) || null
}

/** The page that the words are of, at their time if its site has such links. null: there is none. @param {Pick<SearchResult, 'link' | 'url'>} result */
export const pageOf = ({ link, url }) => {
  const page = link && !ours(link).startsWith('/') ? link : url
  return page && /^https?:$/.test(URL.parse(page)?.protocol ?? '') ? page : null
}

/** @param {number} count @param {boolean} hasMore */
export const foundText = (count, hasMore) => {
  if (count === 0) return 'Nothing found'
  if (hasMore) return `The first ${count === 1 ? 'result' : `${count} results`}`
  return count === 1 ? 'One result' : `${count} results`
}
