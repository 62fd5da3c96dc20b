import { RecentValues } from '../../../domain/recent-values.ts'
import { publicUrl } from '../request-context.ts'
import type { Router } from '../router.ts'
import { guides } from './guides/all-guides.ts'
import { guideText, llmsFullText, llmsText } from './llms.ts'
import { documentOf, registerComponents } from './openapi.ts'
import { documentationPage } from './page.ts'
import type { Document } from './reference/document.ts'
import { searchIndex } from './search-index.ts'

/** /docs runs only our own scripts, as the console does, whose policy is in console/_headers. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
const cached = { 'Cache-Control': 'public, max-age=300' }

/** By the URL of the Worker, which has few unless a caller invents Host headers. */
const MAX_RENDERED = 10

/**
 * Adds /docs and its search index, /openapi.json and the texts for language models. The console at / consists of static
 * assets, which bypass the Worker.
 */
export const documentationRoutes = (app: Router): void => {
  registerComponents(app)
  app.get('/openapi.json', (c) => c.json(documentOf(app, publicUrl(c))))

  const render = (url: string) => documentOf(app, url) as Document
  const page = onceFor(async (url) => `${await documentationPage(render(url), url)}`)
  const index = onceFor(async (url) => JSON.stringify(searchIndex(render(url))))
  const summary = onceFor(async (url) => llmsText(render(url), url))
  const everything = onceFor(async (url) => llmsFullText(render(url), url))

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

/** Rendering takes milliseconds, so it is done once for each URL. */
const onceFor = (render: (url: string) => Promise<string>): ((url: string) => Promise<string>) => {
  const rendered = new RecentValues<string, string>(MAX_RENDERED)
  return async (url) => {
    const text = rendered.get(url) ?? (await render(url))
    rendered.set(url, text)
    return text
  }
}
