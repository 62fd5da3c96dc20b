import { html, raw } from 'hono/html'

export type Html = ReturnType<typeof html>

/** Renders the Markdown that descriptions use: code in backticks, and paragraphs separated by an empty line. */
export const prose = (text: string): Html[] =>
  text === '' ? [] : text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)

export const inline = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

export const code = (text: string): Html => html`<div class="code"><pre tabindex="0"><code>${text}</code></pre></div>`

export const nothing: Html = raw('')

interface Page {
  title: string
  description: string
  /** Files of console/assets/docs, without their endings. */
  styles: string[]
  script: string | null
  /** Between the name and the links. */
  search: Html
  links: Html
  /** With a `main` that has the id `documentation`. */
  content: Html
}

export const frame = (page: Page): Html => html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>${page.title}</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${page.description}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/base.css">
  <link rel="stylesheet" href="/assets/docs/page.css">
  ${page.styles.map((name) => html`<link rel="stylesheet" href="/assets/docs/${name}.css">`)}
  <script src="/assets/docs/before-paint.js"></script>
  ${page.script === null ? nothing : html`<script type="module" src="/assets/docs/${page.script}.js"></script>`}
</head>
<body>
  <a class="skip" href="#documentation">Skip to the documentation</a>
  <header class="top">
    <a class="brand" href="/" aria-label="Haul, console">
      <svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M7 5v22M25 5v22"/><path class="rope" d="M7 11c5 10 13 10 18 0"/></svg>
      Haul
    </a>
    ${page.search}
    <nav aria-label="Site"><a href="/">Console</a> ${page.links}</nav>
  </header>
  ${page.content}
</body>
</html>`

export const pageBeside = ({ title, markdown, ...page }: Omit<Page, 'search' | 'links'> & { markdown: string }): Html =>
  frame({
    ...page,
    title: `${title} - Haul documentation`,
    search: nothing,
    links: html`<a href="/docs">Documentation</a> <a href="/docs/${markdown}">${markdown}</a>`,
  })
