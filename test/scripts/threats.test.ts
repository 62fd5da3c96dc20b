import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = readFileSync('docs/threats.md', 'utf8')
const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| tries to'))

test('every attack names the tests that prove its wall, and they exist', () => {
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) expect(row.match(/`test\/[^`]+\.test\.ts`/g), row).not.toBeNull()
  const named = [...text.matchAll(/`((?:test|container|worker|domain)\/[^`]+)`/g)].map(([, path = '']) => path)
  const linked = [...text.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path = '']) => `docs/${path}`)
  const files = [...named, ...linked]
  expect(files.filter((path) => !existsSync(path))).toEqual([])
})
