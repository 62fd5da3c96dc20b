import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Api } from '../context.ts'
import { documentOf } from './documentation.ts'
import type { Document } from './reference/document.ts'
import { referencePage } from './reference/page.ts'

/** The page has no script, and nothing of it comes from anywhere else. The console's own policy is in console/_headers. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'public, max-age=300',
}

/** The reference at /docs. The console at / is made of files, which are served before the Worker is asked. */
export const pages = (app: OpenAPIHono<Api>): void => {
  const made = new Map<string, string>()
  app.get('/docs', async (c) => {
    const { publicUrl } = c.var.parts.config
    const page = made.get(publicUrl) ?? `${await referencePage(documentOf(app, publicUrl) as Document, publicUrl)}`
    made.set(publicUrl, page)
    return c.html(page, 200, headers)
  })
}
