import type { Context } from 'hono'
import type { KnownSites } from '../../../domain/sites.ts'
import { termsOf } from '../../env.ts'
import { sitesToShow } from '../../fleet/known-extractors.ts'
import { type HttpEnv, publicUrl } from '../request-context.ts'
import type { Router } from '../router.ts'
import { guides } from './guides/all-guides.ts'
import { type Site, withFacts } from './guides/facts.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { document30Of, documentOf, registerComponents } from './openapi.ts'
import { documentationPage } from './page.ts'
import type { Document } from './reference/document.ts'
import { renderedOnce } from './rendered-once.ts'
import { searchIndex } from './search-index.ts'
import { sitesIndex, sitesPage, sitesText } from './sites.ts'
import { worksWithPage, worksWithText } from './works-with.ts'

/** /docs runs only our own scripts, as the console does, whose policy is in console/_headers. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
const cached = { 'Cache-Control': 'public, max-age=300' }

/** A list may be known a moment later. */
const notCached = { 'Cache-Control': 'no-cache' }

type RenderSites = (sites: KnownSites | null) => string | Promise<string>
type Render = (document: Document, site: Site) => string | Promise<string>

/**
 * Adds /docs and its search index, /openapi.json and the texts for language models. The console at / consists of static
 * assets, which bypass the Worker.
 */
export const documentationRoutes = (app: Router): void => {
  registerComponents(app)
  const serve = (path: string, contentType: string, headers: Record<string, string>, render: Render): void => {
    const text = renderedOnce((site) => render(documentOf(app, site.baseUrl) as Document, site))
    app.get(path, async (c) => c.body(await text(siteOf(c)), 200, { 'Content-Type': contentType, ...headers }))
  }
  serve('/openapi.json', 'application/json', {}, (document) => JSON.stringify(document))
  serve('/openapi-3.0.json', 'application/json', {}, (_, { baseUrl }) => JSON.stringify(document30Of(app, baseUrl)))
  serve(
    '/docs',
    'text/html; charset=UTF-8',
    { ...pageHeaders, ...cached },
    async (document, site) => `${await documentationPage(document, site)}`,
  )
  serve('/docs/search.json', 'application/json', cached, (document, { terms }) =>
    JSON.stringify(searchIndex(document, terms)),
  )
  serve('/llms.txt', 'text/plain; charset=UTF-8', cached, llmsText)
  serve('/llms-full.txt', 'text/plain; charset=UTF-8', cached, llmsFullText)
  const html = { ...pageHeaders, ...cached }
  serve('/docs/works-with', 'text/html; charset=UTF-8', html, async (_, site) => `${await worksWithPage(site)}`)
  serve('/docs/works-with.md', 'text/markdown;charset=UTF-8', cached, (_, site) => worksWithText(site))
  for (const guide of guides) {
    const headers = { 'Content-Type': 'text/markdown;charset=UTF-8', ...cached }
    app.get(`/docs/${guide.id}.md`, (c) => c.body(withFacts(guide.markdown, siteOf(c)), 200, headers))
  }
  const serveSites = (path: string, headers: Record<string, string>, render: RenderSites): void => {
    const text = renderedForEach(render)
    app.get(path, async (c) => {
      const sites = await sitesToShow(c.env)
      return c.body(await text(sites), 200, { ...headers, ...(sites ? cached : notCached) })
    })
  }
  serveSites(
    '/docs/sites',
    { 'Content-Type': 'text/html; charset=UTF-8', ...pageHeaders },
    async (sites) => `${await sitesPage(sites)}`,
  )
  serveSites('/docs/sites.md', { 'Content-Type': 'text/markdown;charset=UTF-8' }, sitesText)
  serveSites('/docs/sites.json', { 'Content-Type': 'application/json' }, sitesIndex)
}

const siteOf = (c: Context<HttpEnv>): Site => ({ baseUrl: publicUrl(c), terms: termsOf(c.env) })

/** Renders again when the list is another one. */
const renderedForEach = (render: RenderSites): RenderSites => {
  let last: { sites: KnownSites | null; text: string } | null = null
  return async (sites) => {
    if (last?.sites !== sites) last = { sites, text: await render(sites) }
    return (last as { text: string }).text
  }
}
