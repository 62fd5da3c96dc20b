import type { Terms } from '../../../domain/terms.ts'
import type { Site } from './guides/facts.ts'

/** Stands for the URL of the Worker, which is that of each request where PUBLIC_URL is not set. */
const ANY_URL = 'https://url-of-haul.invalid'

type Render = (site: Site) => string | Promise<string>

/**
 * Rendering takes milliseconds, which callers without a key could ask for with any Host header. So it is done once for what
 * the operator has set.
 */
export const renderedOnce = (render: Render): ((site: Site) => Promise<string>) => {
  let last: { terms: Terms; text: string } | null = null
  return async ({ baseUrl, terms }) => {
    const text = last?.terms === terms ? last.text : await render({ baseUrl: ANY_URL, terms })
    last = { terms, text }
    return text.replaceAll(ANY_URL, () => quoted(baseUrl))
  }
}

/** A host name may have a quotation mark, which would end a string of the document. */
const quoted = (url: string): string => url.replaceAll('"', '%22').replaceAll('&', '%26')
