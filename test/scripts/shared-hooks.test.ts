import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Setup files are loaded again for each file, and these are loaded only by them. */
const setup = '**/*.setup.ts'

/**
 * Files of one worker share modules, so the hook of such a module is registered for the first file alone. A helper
 * registers hooks in a function, or calls onTestFinished.
 */
test('no helper of tests registers a hook when it is loaded', () => {
  const helpers = globSync('test/**/*.ts', { exclude: ['**/*.test.ts', setup] })
  expect(helpers.length).toBeGreaterThan(100)
  expect(helpers.filter((file) => /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(file, 'utf8')))).toEqual([])
})
