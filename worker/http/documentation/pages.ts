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

/**
 * Adds /docs and its search index, /openapi.json and the texts for language models. The console at / consists of static
 * assets, which bypass the Worker.
 */
export const documentationRoutes = (app: Router): void => {
  registerComponents(app)
  const render = (url: string) => documentOf(app, url) as Document
  const document = renderedOnce((url) => JSON.stringify(render(url)))
  const page = renderedOnce(async (url) => `${await documentationPage(render(url), url)}`)
  const index = renderedOnce((url) => JSON.stringify(searchIndex(render(url))))
  const summary = renderedOnce((url) => llmsText(render(url), url))
  const everything = renderedOnce((url) => llmsFullText(render(url), url))

  app.get('/openapi.json', async (c) =>
    c.body(await document(publicUrl(c)), 200, { 'Content-Type': 'application/json' }),
  )
  app.get('/docs', async (c) => c.html(await page(publicUrl(c)), 200, { ...pageHeaders, ...cached }))
  app.get('/docs/search.json', async (c) =>
    c.body(await index(publicUrl(c)), 200, { 'Content-Type': 'application/json', ...cached }),
  )
  app.get('/llms.txt', async (c) => c.text(await summary(publicUrl(c)), 200, cached))
  app.get('/llms-full.txt', async (c) => c.text(await everything(publicUrl(c)), 200, cached))
  for (const guide of guides) {
    const headers = { 'Content-Type': 'text/markdown;charset=UTF-8', ...cached }
    app.get(`/docs/${guide.id}.md`, (c) => c.body(guideText(guide, publicUrl(c)), 200, headers))
  }
}
