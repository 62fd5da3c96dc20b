/** Stands for the URL of the Worker, which is that of each request where PUBLIC_URL is not set. */
const ANY_URL = 'https://url-of-haul.invalid'

/** Rendering takes milliseconds, which callers without a key could ask for with any Host header. So it is done once. */
export const renderedOnce = (render: (url: string) => string | Promise<string>): ((url: string) => Promise<string>) => {
  let rendered: string | null = null
  return async (url) => {
    rendered ??= await render(ANY_URL)
    return rendered.replaceAll(ANY_URL, () => quoted(url))
  }
}

/** A host name may have a quotation mark, which would end a string of the document. */
const quoted = (url: string): string => url.replaceAll('"', '%22').replaceAll('&', '%26')
