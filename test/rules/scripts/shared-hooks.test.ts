import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * Test files that share a worker share its modules. A helper is therefore loaded once, and a hook at its top level
 * applies only to the first file that imports it.
 */
test('no test helper registers a hook at its top level', () => {
  const helpers = globSync('test/**/*.ts', { exclude: ['**/*.test.ts'] })
  expect(helpers.length).toBeGreaterThan(100)
  expect(helpers.filter((file) => /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(file, 'utf8')))).toEqual([])
})
