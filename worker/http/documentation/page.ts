import { html } from 'hono/html'
import { type Guide, guides, titleOf } from './guides/all-guides.ts'
import { withFacts } from './guides/facts.ts'
import { renderGuide } from './guides/render.ts'
import { byTag, type Document, type Endpoint } from './reference/document.ts'
import type { Html } from './reference/markup.ts'
import { endpointSections, eventsSection } from './reference/sections.ts'

/** Guides, recipes and the reference on one page, which needs no script. */
export const documentationPage = (document: Document, baseUrl: string): Html => html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Haul documentation</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${document.info.summary ?? ''}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/base.css">
  <link rel="stylesheet" href="/assets/docs/page.css">
  <link rel="stylesheet" href="/assets/docs/guides.css">
  <link rel="stylesheet" href="/assets/docs/reference.css">
  <link rel="stylesheet" href="/assets/docs/search.css">
  <script src="/assets/docs/before-paint.js"></script>
  <script type="module" src="/assets/docs/main.js"></script>
</head>
<body>
  <a class="skip" href="#documentation">Skip to the documentation</a>
  <header class="top">
    <a class="brand" href="/" aria-label="Haul, console">
      <svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M7 5v22M25 5v22"/><path class="rope" d="M7 11c5 10 13 10 18 0"/></svg>
      Haul
    </a>
    ${search}
    <nav aria-label="Site"><a href="/">Console</a> <a href="/openapi.json">openapi.json</a> <a href="/llms.txt">llms.txt</a></nav>
  </header>
  <div class="columns">
    <nav class="contents" aria-label="Contents">${contents(document)}</nav>
    <main id="documentation" tabindex="-1">
      <h1>Documentation</h1>
      <p class="base"><code>${baseUrl}</code> <span>version ${document.info.version}</span></p>
      ${part('Guides', guides, baseUrl)}
      ${part('Recipes', guides, baseUrl)}
      <p class="part" id="reference">Reference</p>
      ${endpointSections(document, baseUrl)}
      ${eventsSection(document)}
    </main>
  </div>
</body>
</html>`

const part = (name: Guide['part'], all: Guide[], baseUrl: string): Html => html`
  <p class="part" id="${name.toLowerCase()}">${name}</p>
  ${all
    .filter((guide) => guide.part === name)
    .map(
      ({ id, markdown }) => html`
      <article class="guide" aria-labelledby="${id}">${renderGuide(id, withFacts(markdown, baseUrl))}</article>`,
    )}`

/** Shown only where scripts run. */
const search = html`
  <div class="search" role="search">
    <label class="unseen" for="search">Search the documentation</label>
    <input id="search" type="search" placeholder="Search" role="combobox" autocomplete="off" spellcheck="false"
      aria-expanded="false" aria-controls="found" aria-autocomplete="list">
    <kbd aria-hidden="true">/</kbd>
    <div id="found" role="listbox" aria-label="Results" hidden></div>
    <p class="unseen" role="status"></p>
  </div>`

/** The side bar: a list for each part, and the endpoints of each tag in a list that opens. */
const contents = (document: Document): Html => html`
  <p class="part"><a href="#guides">Guides</a></p>
  ${guideList('Guides')}
  <p class="part"><a href="#recipes">Recipes</a></p>
  ${guideList('Recipes')}
  <p class="part"><a href="#reference">Reference</a></p>
  <ul class="tags">
    ${[...byTag(document)].map(([tag, endpoints]) => tagItem(tag, endpoints))}
    <li><a href="#events">Webhook events</a></li>
  </ul>`

const guideList = (part: Guide['part']): Html => html`
  <ul>${guides.filter((guide) => guide.part === part).map((guide) => html`<li><a href="#${guide.id}">${titleOf(guide)}</a></li>`)}</ul>`

const tagItem = (tag: string, endpoints: Endpoint[]): Html => html`
  <li><details><summary>${tag}</summary>
    <ul class="paths">${endpoints.map(
      ({ id, method, path }) =>
        html`<li><a href="#${id}"><span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span> <span>${path}</span></a></li>`,
    )}</ul></details></li>`
