import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** A browser loads the copies; package.json names their version. */
test.each(['dist/uPlot.esm.js', 'dist/uPlot.min.css', 'LICENSE'])('the copy of uPlot’s %s is the package’s', (path) => {
  const copy = readFileSync(join(root, 'console/ops/uplot', path.replace('dist/', '')))
  expect(copy.equals(readFileSync(join(root, 'node_modules/uplot', path)))).toBe(true)
})
