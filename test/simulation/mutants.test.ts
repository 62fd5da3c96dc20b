import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from './mutants.ts'

const root = join(import.meta.dirname, '../..')

test.each(Object.entries(mutants))('the text that a planted bug replaces occurs once: %s', (_name, { path, find }) => {
  expect(readFileSync(join(root, path), 'utf8').split(find)).toHaveLength(2)
})
