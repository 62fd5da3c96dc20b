import { globSync } from 'node:fs'
import { expect, test } from 'vitest'

/** vitest.config.ts chooses a test's environment by its folder. A test that no project includes would never run. */
const files = globSync('test/**/*.test.ts')

test('every test is in the folder of a level', () => {
  const levels =
    /^test\/(rules|worker|container|bucket|simulation|walk|clients|further\/(rules|worker|container|product|fuzz))\//
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => !levels.test(file))).toEqual([])
})

test('tests for the Workers runtime are named so, and are where it runs them', () => {
  const named = files.filter((file) => file.endsWith('.workerd.test.ts'))
  expect(named.filter((file) => !/^test\/(worker|simulation|further\/worker)\//.test(file))).toEqual([])
  const inNode = files.filter((file) => /^test\/(further\/)?worker\//.test(file) && !named.includes(file))
  expect(inNode).toEqual([])
})
