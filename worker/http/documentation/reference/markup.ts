import { html, raw } from 'hono/html'

export type Html = ReturnType<typeof html>

/** Renders the Markdown that descriptions use: code in backticks, and paragraphs separated by an empty line. */
export const prose = (text: string): Html[] =>
  text === '' ? [] : text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)

export const inline = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

export const code = (text: string): Html => html`<div class="code"><pre tabindex="0"><code>${text}</code></pre></div>`

export const nothing: Html = raw('')
