import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { devDependencies } from '../../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../../..')
const vendor = join(root, 'console/vendor')
const readme = readFileSync(join(vendor, 'README.md'), 'utf8')

/** Rows of the table in the README: file, SHA-256. */
const digests = new Map(
  [...readme.matchAll(/^\| `(\S+)` \| `([0-9a-f]{64})` \|$/gm)].map(([, file = '', digest = '']) => [file, digest]),
)

test('every file that others have written has the digest that was reviewed', () => {
  const files = readdirSync(join(vendor, 'uplot')).filter((name) => !name.endsWith('.d.ts'))
  const found = files.map((name) => [
    name,
    createHash('sha256')
      .update(readFileSync(join(vendor, 'uplot', name)))
      .digest('hex'),
  ])
  expect(new Map(found as [string, string][])).toEqual(digests)
  expect(readme).toContain(`uPlot ${devDependencies.uplot},`)
})

/** A browser loads the copies; package.json names their version, and TypeScript reads the package's types. */
test.each(['dist/uPlot.esm.js', 'dist/uPlot.min.css', 'LICENSE'])('the copy of uPlot’s %s is the package’s', (path) => {
  const copy = readFileSync(join(vendor, 'uplot', path.replace('dist/', '')))
  expect(copy.equals(readFileSync(join(root, 'node_modules/uplot', path)))).toBe(true)
})
