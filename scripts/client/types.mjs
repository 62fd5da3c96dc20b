import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'

/**
 * Writes the types of the client from the OpenAPI document of the Worker. The document needs no bindings, so the Worker's
 * app can answer in Node.
 */
const root = join(import.meta.dirname, '../..')

/** Imports Markdown files as strings, as wrangler bundles them for the Worker. */
registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.endsWith('.md')) return nextLoad(url, context)
    const text = readFileSync(new URL(url), 'utf8')
    return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
  },
})
const { createApp } = await import('../../worker/http/app.ts')

/** The generator needs TypeScript 5, so npm installs it for the client only. */
const { default: generate, astToString } = createRequire(join(root, 'client/package.json'))('openapi-typescript')

const text = await (await createApp().request('/openapi.json', {}, {})).text()
// A field with a default value may be left out of a request.
const ast = await generate(text, { alphabetize: true, defaultNonNullable: false })
const types = `/** Generated from the OpenAPI document, and not committed. */\n\n${astToString(ast)}`
await writeFile(join(root, 'client/src/openapi.ts'), types)
