import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const runtime = 'export class DurableObject {}'

/** Imports Markdown files as strings, as wrangler bundles them, and stubs the class of Durable Objects. */
registerHooks({
  load: (url, context, nextLoad) => {
    if (url === 'cloudflare:workers') return { format: 'module', source: runtime, shortCircuit: true }
    if (!url.endsWith('.md')) return nextLoad(url, context)
    const text = readFileSync(new URL(url), 'utf8')
    return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
  },
})

/** The OpenAPI document of the Worker, as text. It needs no bindings, so the Worker's app can answer in Node. */
export const documentText = async () => {
  const { createApp } = await import('../../worker/http/app.ts')
  return (await createApp().request('/openapi.json', {}, {})).text()
}
