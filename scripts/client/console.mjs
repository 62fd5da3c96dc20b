import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/** Bundles the library for the console, as one module. The set-up runs it, and the build of the image for one's own server. */
await build({
  entryPoints: [join(root, 'client/src/for-console.ts')],
  outfile: join(root, 'console/assets/haul-client.js'),
  bundle: true,
  format: 'esm',
  target: 'es2024',
  banner: { js: '// Generated from client/src, and not committed.' },
  logLevel: 'warning',
})
