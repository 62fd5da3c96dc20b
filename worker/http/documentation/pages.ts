import type { KnownSites } from '../../../domain/sites.ts'
import { termsOf } from '../../env.ts'
import { sitesToShow } from '../../fleet/known-extractors.ts'
import { publicUrl } from '../request-context.ts'
import type { Router } from '../router.ts'
import { articlePage, articles, articleText } from './articles.ts'
import { guides } from './guides/all-guides.ts'
import { type Site, withFacts } from './guides/facts.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { document30Of, documentOf, registerComponents } from './openapi.ts'
import { documentationPage } from './page.ts'
import { documentWithSchemas } from './reference/document.ts'
import { renderedOnce } from './rendered-once.ts'
import { searchIndex } from './search-index.ts'
import { sitesIndex, sitesPage, sitesText } from './sites.ts'

type Headers = Record<string, string>

const json: Headers = { 'Content-Type': 'application/json' }
const plain: Headers = { 'Content-Type': 'text/plain; charset=UTF-8' }
const markdown: Headers = { 'Content-Type': 'text/markdown;charset=UTF-8' }
/** /docs runs only our own scripts, as the console does, whose policy is in console/_headers. */
const html: Headers = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
const cached: Headers = { 'Cache-Control': 'public, max-age=300' }
/** For lists that may be known a moment later. */
const notCached: Headers = { 'Cache-Control': 'no-cache' }

type Rendered = string | PromiseLike<unknown>

/** The console at / consists of static assets, which bypass the Worker. */
export const documentationRoutes = (app: Router): void => {
  registerComponents(app)
  const serve = (path: string, headers: Headers, render: (site: Site) => Rendered): void => {
    const text = renderedOnce((terms: Site['terms'], baseUrl) => render({ baseUrl, terms }))
    app.get(path, async (c) => c.body(await text(termsOf(c.env), publicUrl(c)), 200, headers))
  }
  const document = ({ baseUrl }: Site) => documentWithSchemas(documentOf(app, baseUrl))
  serve('/openapi.json', json, ({ baseUrl }) => JSON.stringify(documentOf(app, baseUrl)))
  serve('/openapi-3.0.json', json, ({ baseUrl }) => JSON.stringify(document30Of(app, baseUrl)))
  serve('/docs', { ...html, ...cached }, (site) => documentationPage(document(site), site))
  serve('/docs/search.json', { ...json, ...cached }, (site) => JSON.stringify(searchIndex(document(site), site.terms)))
  serve('/llms.txt', { ...plain, ...cached }, (site) => llmsText(document(site), site))
  serve('/llms-full.txt', { ...plain, ...cached }, (site) => llmsFullText(document(site), site))
  for (const article of articles) {
    serve(`/docs/${article.id}`, { ...html, ...cached }, (site) => articlePage(article, site))
    serve(`/docs/${article.id}.md`, { ...markdown, ...cached }, (site) => articleText(article, site))
  }
  for (const guide of guides) {
    serve(`/docs/${guide.id}.md`, { ...markdown, ...cached }, (site) => withFacts(guide.markdown, site))
  }
  const serveSites = (path: string, headers: Headers, render: (sites: KnownSites | null) => Rendered): void => {
    const text = renderedOnce(render)
    app.get(path, async (c) => {
      const sites = await sitesToShow(c.env)
      return c.body(await text(sites, publicUrl(c)), 200, { ...headers, ...(sites ? cached : notCached) })
    })
  }
  serveSites('/docs/sites', html, sitesPage)
  serveSites('/docs/sites.md', markdown, sitesText)
  serveSites('/docs/sites.json', json, sitesIndex)
}
