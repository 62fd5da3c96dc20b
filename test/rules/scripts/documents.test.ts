import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Documents whose statements are rows that name the tests behind them. */
const documents = [
  { path: 'docs/threats.md', rows: 20 },
  { path: 'docs/fleet.md', rows: 20 },
]

test.each(documents)('every row of $path names the tests that prove it, and they exist', ({ path, rows: atLeast }) => {
  const text = readFileSync(path, 'utf8')
  const headings = /^\| (tries to|what \||number \||\| )/
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !headings.test(line))
  expect(rows.length).toBeGreaterThan(atLeast)
  for (const row of rows) expect(row.match(/`test\/[^`]+\.test\.ts`/g), row).not.toBeNull()
  const named = [...text.matchAll(/`((?:test|container|worker|domain)\/[^`]+)`/g)].map(([, file = '']) => file)
  const linked = [...text.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, file = '']) => `docs/${file}`)
  expect([...named, ...linked].filter((file) => !existsSync(file))).toEqual([])
})

test('tests that a document names exist', () => {
  const paths = ['CONTRIBUTING.md', ...globSync('docs/*.md')]
  const named = paths.flatMap((path) => readFileSync(path, 'utf8').match(/(?<=`)test\/[\w./-]+(?=`)/g) ?? [])
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
})
