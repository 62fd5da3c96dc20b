import { isScopeMissing } from '../account/permissions.js'
import { announce, during, find } from '../dom.js'
import { HaulApiError } from '../haul-client.js'
import { canPlay, captionedPlayer, replaceIfBroken } from '../jobs/player.js'
import { createSearchField } from '../search-field.js'
import { nothingFound } from './nothing-found.js'
import { foundText, importOf, pageOf } from './result-facts.js'
import { linkTo, resultItem } from './result-item.js'
import { searchOff } from './search-off.js'

/** @import { SearchResult } from '../../types.js' */
/** @typedef {{results: SearchResult[], nextCursor: string | null}} Page */

const PAGE = '20'

const section = find('#found-section', HTMLElement)
const lists = find('#lists', HTMLElement)
const title = find('#found-title', HTMLElement)
const list = find('#found', HTMLOListElement)
const none = find('#nothing-said', HTMLElement)
const more = find('#more-found', HTMLButtonElement)
const sort = find('#found-sort', HTMLSelectElement)

/**
 * The search for what was said. While something is searched for, its results are shown instead of batches and jobs.
 * @param {import('../account/api.js').Api} api
 * @param {{signal: AbortSignal, onShowJob: (jobId: string) => void}} handlers
 */
export const createSearchView = (api, { signal, onShowJob }) => {
  /** Of the last search. */
  let last = new AbortController()
  /** @type {string | null} */
  let nextCursor = null
  let isReadingMore = false
  /** Of the last result that was chosen. */
  let chosen = new AbortController()

  const showing = during.bind(null, find('#found-problem', HTMLElement))

  const search = () => {
    last.abort()
    last = new AbortController()
    const isSearching = field.text() !== ''
    if (section.hidden) title.textContent = 'Searching…'
    section.hidden = !isSearching
    lists.hidden = isSearching
    more.hidden = true
    if (isSearching) return showing(() => showFirst(AbortSignal.any([signal, last.signal])))
    list.replaceChildren()
    none.hidden = true
  }

  /** What was found before stays until there is an answer. @param {AbortSignal} current */
  const showFirst = async (current) => {
    section.setAttribute('aria-busy', 'true')
    try {
      const page = await read(undefined, current)
      const reasons = page.results.length === 0 ? await searchOff(api, { signal: current, during: showing }) : null
      list.replaceChildren()
      if (page.results.length === 0) none.replaceChildren(...(reasons ?? nothingFound()))
      add(page)
    } catch (error) {
      if (current.aborted) return
      list.replaceChildren()
      add({ results: [], nextCursor: null })
      none.hidden = true
      title.textContent = 'Results'
      throw error
    } finally {
      if (!current.aborted) section.removeAttribute('aria-busy')
    }
    announce(`${title.textContent}.`)
  }

  /** A page may be empty although there is more. @param {string | undefined} cursor @param {AbortSignal} current @returns {Promise<Page>} */
  const read = async (cursor, current) => {
    const query = { q: field.text(), sort: sort.value, limit: PAGE, cursor }
    /** @type {Page} */
    const page = await api.request('GET', '/search', { query, signal: current })
    return page.results.length === 0 && page.nextCursor !== null ? read(page.nextCursor, current) : page
  }

  /** @param {Page} page */
  const add = (page) => {
    nextCursor = page.nextCursor
    const items = page.results.map((result) => resultItem(result, { play, showJob: onShowJob }))
    list.append(...items)
    more.hidden = nextCursor === null
    none.hidden = list.childElementCount > 0
    sort.hidden = !none.hidden
    title.textContent = foundText(list.childElementCount, nextCursor !== null)
    return items
  }

  const showMore = async () => {
    if (isReadingMore) return
    isReadingMore = true
    const page = read(nextCursor ?? undefined, AbortSignal.any([signal, last.signal]))
    const [first] = add(
      await page.finally(() => {
        isReadingMore = false
      }),
    )
    // The button may be gone, and what is new begins above it.
    const next = first?.querySelector('button, a')
    if (next instanceof HTMLElement) next.focus()
  }

  /**
   * Plays a result below it, or opens its page if its file is not stored any more.
   * @param {SearchResult} result
   * @param {HTMLElement} stage
   */
  const play = (result, stage) =>
    showing(async () => {
      chosen.abort()
      chosen = new AbortController()
      const open = stage.querySelector('video, audio')
      if (open instanceof HTMLMediaElement) return playFrom(open, result.start)
      const current = AbortSignal.any([signal, last.signal, chosen.signal])
      const job = await api.jobs.get(importOf(result) ?? '', { signal: current }).catch(isGone)
      if (!job || !canPlay(job)) return openPage(result)
      const media = await captionedPlayer(api, job, { signal: current, start: result.start })
      for (const other of list.querySelectorAll('.found-stage')) other.replaceChildren()
      stage.replaceChildren(media)
      replaceIfBroken(stage)
    })

  const field = createSearchField(find('#said-search', HTMLFormElement), search)
  sort.addEventListener('change', search)
  more.addEventListener('click', () => showing(showMore))
  return { clear: field.clear }
}

/** The import was removed, or the key may not see it. @param {unknown} error */
const isGone = (error) => {
  if ((error instanceof HaulApiError && error.status === 404) || isScopeMissing(error)) return null
  throw error
}

/** @param {HTMLMediaElement} media @param {number} start */
const playFrom = (media, start) => {
  media.currentTime = start
  media.play().catch(() => {})
}

/** @param {SearchResult} result */
const openPage = (result) => {
  const page = pageOf(result)
  if (page === null) throw new Error('Its file is not stored any more.')
  linkTo(page, '', {}).click()
}
