/** Stands for the URL of the Worker, which is that of each request where PUBLIC_URL is not set. */
const ANY_URL = 'https://url-of-haul.invalid'

/** Renders once for all Host headers: rendering takes milliseconds, and callers without a key can send any header. */
export const renderedOnce = <Given>(
  render: (given: Given, baseUrl: string) => PromiseLike<unknown> | string,
): ((given: Given, baseUrl: string) => Promise<string>) => {
  let last: { given: Given; text: string } | null = null
  return async (given, baseUrl) => {
    const text = last?.given === given ? last.text : `${await render(given, ANY_URL)}`
    last = { given, text }
    return text.replaceAll(ANY_URL, () => quoted(baseUrl))
  }
}

/** A host name may contain a quotation mark, which would end a string of the document. */
const quoted = (url: string): string => url.replaceAll('"', '%22').replaceAll('&', '%26')
