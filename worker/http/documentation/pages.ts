import { publicUrl } from '../request-context.ts'
import type { Router } from '../router.ts'
import { guides } from './guides/all-guides.ts'
import { guideText, llmsFullText, llmsText } from './llms.ts'
import { documentOf, registerComponents } from './openapi.ts'
import { documentationPage } from './page.ts'
import type { Document } from './reference/document.ts'
import { renderedOnce } from './rendered-once.ts'
import { searchIndex } from './search-index.ts'

/** /docs runs only our own scripts, as the console does, whose policy is in console/_headers. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
const cached = { 'Cache-Control': 'public, max-age=300' }

type Render = (document: Document, url: string) => string | Promise<string>

/**
 * Adds /docs and its search index, /openapi.json and the texts for language models. The console at / consists of static
 * assets, which bypass the Worker.
 */
export const documentationRoutes = (app: Router): void => {
  registerComponents(app)
  const serve = (path: string, contentType: string, headers: Record<string, string>, render: Render): void => {
    const text = renderedOnce((url) => render(documentOf(app, url) as Document, url))
    app.get(path, async (c) => c.body(await text(publicUrl(c)), 200, { 'Content-Type': contentType, ...headers }))
  }
  serve('/openapi.json', 'application/json', {}, (document) => JSON.stringify(document))
  serve(
    '/docs',
    'text/html; charset=UTF-8',
    { ...pageHeaders, ...cached },
    async (document, url) => `${await documentationPage(document, url)}`,
  )
  serve('/docs/search.json', 'application/json', cached, (document) => JSON.stringify(searchIndex(document)))
  serve('/llms.txt', 'text/plain; charset=UTF-8', cached, llmsText)
  serve('/llms-full.txt', 'text/plain; charset=UTF-8', cached, llmsFullText)
  for (const guide of guides) {
    const headers = { 'Content-Type': 'text/markdown;charset=UTF-8', ...cached }
    app.get(`/docs/${guide.id}.md`, (c) => c.body(guideText(guide, publicUrl(c)), 200, headers))
  }
}
