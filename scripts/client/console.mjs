import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { startForm } from '../../domain/options/start-form.ts'

const root = join(import.meta.dirname, '../..')

/** The set-up runs this, and so does the build of the image for one's own server. */
await build({
  entryPoints: [join(root, 'client/src/for-console.ts')],
  outfile: join(root, 'console/assets/haul-client.js'),
  bundle: true,
  format: 'esm',
  target: 'es2024',
  banner: { js: '// Generated from client/src, and not committed.' },
  logLevel: 'warning',
})

await writeFile(
  join(root, 'console/assets/start-form.js'),
  `// Generated from domain/options, and not committed.
/** @type {readonly import('../types.js').StartField[]} */
export const startForm = ${JSON.stringify(startForm)}
`,
)
