import { html } from 'hono/html'
import { byTag, type Document, idOf } from './document.ts'
import { endpointSections } from './endpoints.ts'
import { guide } from './guide.ts'
import type { Html } from './markup.ts'
import { codesSection, eventsSection } from './tables.ts'

/** The API reference: one page without scripts, rendered from the OpenAPI document. */
export const referencePage = (document: Document, baseUrl: string): Html => html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Haul API reference</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${document.info.summary ?? ''}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/base.css">
  <link rel="stylesheet" href="/assets/reference.css">
</head>
<body>
  <a class="skip" href="#reference">Skip to the reference</a>
  <header class="top">
    <a class="brand" href="/" aria-label="Haul, console">
      <svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M7 5v22M25 5v22"/><path class="rope" d="M7 11c5 10 13 10 18 0"/></svg>
      Haul
    </a>
    <nav aria-label="Site"><a href="/">Console</a> <a href="/openapi.json">openapi.json</a> <a href="/llms.txt">llms.txt</a></nav>
  </header>
  <div class="columns">
    <nav class="contents" aria-label="Contents">${contents(document)}</nav>
    <main id="reference" tabindex="-1">
      <h1>API reference</h1>
      <p class="base"><code>${baseUrl}</code> <span>version ${document.info.version}</span></p>
      ${guide(baseUrl)}
      ${endpointSections(document, baseUrl)}
      ${eventsSection(document)}
      ${codesSection()}
    </main>
  </div>
</body>
</html>`

const guideSections = [
  ['quickstart', 'Quickstart'],
  ['responses', 'Responses'],
  ['job-status', 'Job status'],
  ['batches', 'Many URLs at once'],
  ['idempotency', 'Idempotent requests'],
  ['rate-limits', 'Rate limits'],
  ['pricing', 'Pricing'],
] as const

const tableSections = [
  ['events', 'Webhook events'],
  ['refusals', 'Refused requests'],
  ['failures', 'Failed jobs'],
] as const

const contents = (document: Document): Html => html`
  <ul>${guideSections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  ${[...byTag(document)].map(
    ([tag, endpoints]) => html`
      <h2><a href="#${idOf('tag', tag)}">${tag}</a></h2>
      <ul class="paths">${endpoints.map(
        ({ id, method, path }) =>
          html`<li><a href="#${id}"><span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span> <span>${path}</span></a></li>`,
      )}</ul>`,
  )}
  <h2 class="tables">Events and errors</h2>
  <ul>${tableSections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`
