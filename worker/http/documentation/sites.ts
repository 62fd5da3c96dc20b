import { html, raw } from 'hono/html'
import { marked } from 'marked'
import type { KnownSites } from '../../../domain/sites.ts'
import { type Html, nothing, pageBeside } from './frame.ts'

/** What the yt-dlp of this deployment has extractors for, as a page, as Markdown, and for the search. */

const count = (number: number): string => number.toLocaleString('en')

const others =
  'Other URLs can work too: media files, HLS and DASH manifests, podcast feeds, and many pages with a player in them.'
const unknown = `Haul reads pages with yt-dlp. Which sites it knows here is shown as soon as an engine has said it. [yt-dlp’s own list](https://github.com/yt-dlp/yt-dlp/blob/master/supportedsites.md) is that of its newest version.

${others}`

const introduction = ({ version, working, broken }: KnownSites): string => {
  const note = broken.length === 0 ? '' : ` yt-dlp itself marks ${count(broken.length)} of them as broken.`
  return `Haul reads pages with yt-dlp. Version ${version}, which is used here, has extractors for ${count(working.length + broken.length)} sites and parts of sites, such as their playlists.${note}

${others} A site can have changed since this version, or refuse the engine: [\`GET /metadata\`](/docs#get-metadata) is free and tries a URL.`
}

export const sitesText = (sites: KnownSites | null): string => {
  const { working = [], broken = [] } = sites ?? {}
  const list = (names: string[]) => names.map((name) => `- \`${name}\``).join('\n')
  const parts = ['# Sites', sites ? introduction(sites) : unknown, list(working), broken.length > 0 ? '## Broken' : '']
  return `${[...parts, list(broken)].filter(Boolean).join('\n\n')}\n`
}

/** console/assets/docs/search.js makes an entry of each name. */
export const sitesIndex = (sites: KnownSites | null): string =>
  JSON.stringify(sites ?? { version: null, working: [], broken: [] })

export const sitesPage = (sites: KnownSites | null): Html =>
  pageBeside({
    title: 'Sites',
    description: 'The sites that yt-dlp has extractors for.',
    styles: ['sites'],
    script: 'sites',
    markdown: 'sites.md',
    content: html`
  <main class="single site-list" id="documentation" tabindex="-1">
    <h1>Sites</h1>
    ${raw(marked.parse(sites ? introduction(sites) : unknown, { async: false }))}
    ${sites ? listOf(sites) : nothing}
  </main>`,
  })

/** The filter is shown only where scripts run. Without them the list is complete, and the browser searches it. */
const listOf = ({ working, broken }: KnownSites): Html => {
  const isBroken = new Set(broken)
  const names = [...working, ...broken].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return html`<div class="filter">
      <label for="filter">Filter</label>
      <input id="filter" type="search" autocomplete="off" spellcheck="false" aria-controls="sites">
      <p role="status"></p>
    </div>
    <ul id="sites">${names.map((name) => (isBroken.has(name) ? html`<li>${name} <small>broken</small></li>` : html`<li>${name}</li>`))}</ul>`
}
