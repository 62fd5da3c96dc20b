import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from './mutants.ts'

const root = join(import.meta.dirname, '../..')

test.each(Object.entries(mutants))('there is one place to plant: %s', (_name, { path, find }) => {
  expect(readFileSync(join(root, path), 'utf8').split(find)).toHaveLength(2)
})
