import { find } from '../dom.js'
import { createSearchField } from '../search-field.js'

const METADATA = /^metadata\.([^=\s]+)=(.*)$/s

/** The field above the list of jobs. @param {() => void} onSearch */
export const createJobSearch = (onSearch) => {
  const { text, clear } = createSearchField(find('#job-search', HTMLFormElement), onSearch)
  return {
    text,
    /** The parameters of `GET /jobs`. @returns {Record<string, string>} */
    query: () => {
      const [, key, value = ''] = METADATA.exec(text()) ?? []
      if (key !== undefined) return { [`metadata.${key}`]: value }
      return text() === '' ? {} : { q: text() }
    },
    clear,
  }
}
