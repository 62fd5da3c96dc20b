import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { documentText } from './document.mjs'

/** Writes the types of the client from the OpenAPI document. */
const root = join(import.meta.dirname, '../..')

/** The generator needs TypeScript 5, so npm installs it for the client only. */
const { default: generate, astToString } = createRequire(join(root, 'client/package.json'))('openapi-typescript')

// A field with a default value may be left out of a request.
const ast = await generate(await documentText(), { alphabetize: true, defaultNonNullable: false })
const types = `/** Generated from the OpenAPI document, and not committed. */\n\n${astToString(ast)}`
await writeFile(join(root, 'client/src/openapi.ts'), types)
