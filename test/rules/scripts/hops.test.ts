import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn } from '../../../scripts/check/import-direction.ts'

const root = join(import.meta.dirname, '../../..')
const design = readFileSync(join(root, 'docs/design.md'), 'utf8')

interface Hop {
  from: string
  to: string
  isImport: boolean
}

const hopsIn = (chain: string): Hop[] => {
  const parts = chain.split(' ')
  const files = parts.filter((_, index) => index % 2 === 0)
  const arrows = parts.filter((_, index) => index % 2 === 1)
  return arrows.map((arrow, index) => ({
    from: `${files[index]}.ts`,
    to: `${files[index + 1]}.ts`,
    isImport: arrow === '→',
  }))
}

const lists = [...design.matchAll(/```hops\n([\s\S]*?)```/g)].map(([, list = '']) =>
  list.trim().split('\n').flatMap(hopsIn),
)

const counted = [...design.matchAll(/^\| a.* \| (\d+) \|$/gm)].map(([, count]) => Number(count))

test('every hop of the design is between two files, and every → among them is an import', () => {
  const wrong = lists.flat().filter(({ from, to, isImport }) => {
    if (!existsSync(join(root, from)) || !existsSync(join(root, to))) return true
    const imports = importsIn(from, readFileSync(join(root, from), 'utf8'))
    return isImport && !imports.some((found) => posix.join(posix.dirname(from), found.to) === to)
  })
  expect(wrong).toEqual([])
})

test('the hop counts match the design: at most 36 for an import and 47 for a transcription', () => {
  const counts = lists.map((list) => new Set(list.map(({ from, to }) => `${from} ${to}`)).size)
  expect(counts).toEqual(counted)
  expect(counts[0]).toBeLessThanOrEqual(36)
  expect(counts[1]).toBeLessThanOrEqual(47)
})
