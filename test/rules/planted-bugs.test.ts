import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bugs, isFoundByNpmTest } from '../planted-bugs/bugs.ts'
import { withBug } from '../planted-bugs/planted-bug.ts'
import { mutants } from '../simulation/mutants.ts'

const root = join(import.meta.dirname, '../..')

test.each(Object.entries({ ...mutants, ...bugs }))('it can be planted that %s', (_name, bug) => {
  const source = readFileSync(join(root, bug.path), 'utf8')
  expect(withBug(source, bug)).not.toBe(source)
})

test('the test files that find planted bugs exist', () => {
  const files = new Set(Object.values(bugs).flatMap(({ foundBy }) => foundBy))
  expect([...files].filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('nine in ten planted bugs are found by `npm test`', () => {
  const all = Object.values(bugs)
  expect(all.filter(isFoundByNpmTest).length / all.length).toBeGreaterThanOrEqual(0.9)
})
