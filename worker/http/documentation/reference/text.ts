import { html, raw } from 'hono/html'

/** Text that is safe in a page; arrays of it too. */
export type Html = ReturnType<typeof html>

/** A description as OpenAPI has it: what stands between backticks is code, an empty line begins a paragraph. */
export const prose = (text: string): Html[] =>
  text === '' ? [] : text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)

export const inline = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

export const code = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`

export const nothing: Html = raw('')
