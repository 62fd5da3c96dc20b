import { html } from 'hono/html'
import { type Html, pageBeside } from './frame.ts'
import { type Site, withFacts } from './guides/facts.ts'
import { renderGuide } from './guides/render.ts'
import markdown from './works-with.md'

/** The programs of others that tests run against Haul (test/clients/clients.ts), as a page and as Markdown. */

export const worksWithText = (site: Site): string =>
  withFacts(markdown.replaceAll('{{base-url-with-key}}', site.baseUrl.replace('://', '://haul:haul_…@')), site)

export const worksWithPage = (site: Site): Html =>
  pageBeside({
    title: 'What Haul works with',
    description: 'Packages and programs that work with Haul as they are, and what to set in them.',
    styles: ['guides'],
    script: null,
    markdown: 'works-with.md',
    content: html`
  <main class="single" id="documentation" tabindex="-1">
    <h1>Documentation</h1>
    <article class="guide" aria-labelledby="works-with">${renderGuide('works-with', worksWithText(site))}</article>
  </main>`,
  })
