import { html } from 'hono/html'
import { articles } from './articles.ts'
import { frame, type Html } from './frame.ts'
import { type Guide, guidesOf, titleOf } from './guides/all-guides.ts'
import { type Site, withFacts } from './guides/facts.ts'
import { renderGuide } from './guides/render.ts'
import { byTag, type Document, type Endpoint } from './reference/document.ts'
import { endpointSections, eventsSection } from './reference/sections.ts'

export const documentationPage = (document: Document, site: Site): Html =>
  frame({
    title: 'Haul documentation',
    description: document.info.summary ?? '',
    styles: ['guides', 'reference', 'search'],
    script: 'main',
    search,
    links: html`<a href="/openapi.json">openapi.json</a> <a href="/llms.txt">llms.txt</a>`,
    content: html`
  <div class="columns">
    <nav class="contents" aria-label="Contents">${contents(document)}</nav>
    <main id="documentation" tabindex="-1">
      <h1>Documentation</h1>
      <p class="base"><code>${site.baseUrl}</code> <span>version ${document.info.version}</span></p>
      ${part('Guides', site)}
      ${part('Recipes', site)}
      <p class="part" id="reference">Reference</p>
      ${endpointSections(document, site.baseUrl)}
      ${eventsSection(document)}
    </main>
  </div>`,
  })

const part = (name: Guide['part'], site: Site): Html => html`
  <p class="part" id="${name.toLowerCase()}">${name}</p>
  ${guidesOf(name).map(
    ({ id, markdown }) => html`
      <article class="guide" aria-labelledby="${id}">${renderGuide(id, withFacts(markdown, site))}</article>`,
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

const contents = (document: Document): Html => html`
  <p class="part"><a href="#guides">Guides</a></p>
  ${guideList('Guides')}
  <p class="part"><a href="#recipes">Recipes</a></p>
  ${guideList('Recipes')}
  <p class="part"><a href="#reference">Reference</a></p>
  <ul class="tags">
    ${[...byTag(document)].map(([tag, endpoints]) => tagItem(tag, endpoints))}
    <li><a href="#events">Webhook events</a></li>
  </ul>
  ${articles.map(({ id, shortTitle }) => html`<p class="part"><a href="/docs/${id}">${shortTitle}</a></p>`)}
  <p class="part"><a href="/docs/sites">Sites</a></p>`

const guideList = (part: Guide['part']): Html => html`
  <ul>${guidesOf(part).map((guide) => html`<li><a href="#${guide.id}">${titleOf(guide)}</a></li>`)}</ul>`

const tagItem = (tag: string, endpoints: Endpoint[]): Html => html`
  <li><details><summary>${tag}</summary>
    <ul class="paths">${endpoints.map(
      ({ id, method, path }) =>
        html`<li><a href="#${id}"><span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span> <span>${path}</span></a></li>`,
    )}</ul></details></li>`
