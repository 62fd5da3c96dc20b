import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Node imports Markdown files as strings after this module has run, as wrangler bundles them for the Worker. */
registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.endsWith('.md')) return nextLoad(url, context)
    const text = readFileSync(new URL(url), 'utf8')
    return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
  },
})
