import { html } from 'hono/html'
import type { KnownSites } from '../../../domain/sites.ts'
import { frame } from './frame.ts'
import { type Html, nothing } from './reference/markup.ts'

/** What the yt-dlp of this deployment has extractors for, as a page, as Markdown, and for the search. */

const NEWEST_LIST = 'https://github.com/yt-dlp/yt-dlp/blob/master/supportedsites.md'

const count = (number: number): string => number.toLocaleString('en')

const totalOf = ({ working, broken }: KnownSites): number => working.length + broken.length

const brokenNote = ({ broken }: KnownSites): string =>
  broken.length === 0 ? '' : ` yt-dlp itself marks ${count(broken.length)} of them as broken.`

const introduction = (sites: KnownSites): string =>
  `Haul reads pages with yt-dlp. Version ${sites.version}, which is used here, has extractors for ${count(totalOf(sites))} sites and parts of sites, such as their playlists.${brokenNote(sites)}`

const OTHERS =
  'Other URLs can work too: media files, HLS and DASH manifests, podcast feeds, and many pages with a player in them.'
const UNKNOWN = 'Haul reads pages with yt-dlp. Which sites it knows here is shown as soon as an engine has said it.'

export const sitesText = (sites: KnownSites | null): string => {
  if (!sites)
    return `# Sites\n\n${UNKNOWN} [yt-dlp’s own list](${NEWEST_LIST}) is that of its newest version.\n\n${OTHERS}\n`
  const paragraphs = [
    ...['# Sites', introduction(sites)],
    `${OTHERS} A site can have changed since this version, or refuse the engine: \`GET /metadata\` is free and tries a URL.`,
    sites.working.map((name) => `- \`${name}\``).join('\n'),
  ]
  if (sites.broken.length > 0) paragraphs.push('## Broken', sites.broken.map((name) => `- \`${name}\``).join('\n'))
  return `${paragraphs.join('\n\n')}\n`
}

/** console/assets/docs/search.js makes an entry of each name. */
export const sitesIndex = (sites: KnownSites | null): string =>
  JSON.stringify(sites ?? { version: null, working: [], broken: [] })

export const sitesPage = (sites: KnownSites | null): Html =>
  frame({
    title: 'Sites - Haul documentation',
    description: 'The sites that yt-dlp has extractors for.',
    styles: ['sites'],
    script: 'sites',
    search: nothing,
    links: html`<a href="/docs">Documentation</a> <a href="/docs/sites.md">sites.md</a>`,
    content: html`
  <main class="single site-list" id="documentation" tabindex="-1">
    <h1>Sites</h1>
    ${sites ? listOf(sites) : unknown}
  </main>`,
  })

const unknown = html`
    <p>${UNKNOWN} <a href="${NEWEST_LIST}">yt-dlp’s own list</a> is that of its newest version.</p>
    <p>${OTHERS}</p>`

const listOf = (sites: KnownSites): Html => html`
    <p>${introduction(sites)}</p>
    <p>${OTHERS} A site can have changed since this version, or refuse the engine: <a href="/docs#get-metadata"><code>GET /metadata</code></a> is free and tries a URL.</p>
    ${filter}
    <ul id="sites">${inOrder(sites).map(([name, isBroken]) => (isBroken ? html`<li>${name} <small>broken</small></li>` : html`<li>${name}</li>`))}</ul>`

/** Shown only where scripts run. Without them the list is complete, and the browser searches it. */
const filter = html`
    <div class="filter">
      <label for="filter">Filter</label>
      <input id="filter" type="search" autocomplete="off" spellcheck="false" aria-controls="sites">
      <p role="status"></p>
    </div>`

const inOrder = ({ working, broken }: KnownSites): [name: string, isBroken: boolean][] =>
  [
    ...working.map((name) => [name, false] as [string, boolean]),
    ...broken.map((name) => [name, true] as [string, boolean]),
  ].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
