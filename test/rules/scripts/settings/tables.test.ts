import { expect, test } from 'vitest'
import { allRows } from '../../../../domain/settings/settings.ts'
import { tables, withTable } from '../../../../scripts/settings/tables.ts'

const tableOf = (path: string) => tables.find((each) => each.path === path) as (typeof tables)[number]
const document = (title: string, table = 'old') =>
  `# Title\n\n<!-- ${title}, made by npm run settings -->\n\n${table}\n\n<!-- end of ${title} -->\n\nThe end.\n`
const linesOf = (path: string): string[] =>
  withTable(document(tableOf(path).title), tableOf(path))
    .split('\n')
    .filter((line) => line.startsWith('|'))

test('a table is written between its two comments, again and again', () => {
  const table = { ...tableOf('README.md'), heads: ['a'], lines: [['b']] }
  const once = withTable(document('first settings'), table)
  expect(once).toBe(document('first settings', '| a |\n| --- |\n| b |'))
  expect(withTable(once, table)).toBe(once)
})

test('a document without the comments is an error', () => {
  const lacking = () => withTable(document('first settings'), tableOf('docs/settings.md'))
  expect(lacking).toThrow('The document needs the lines <!-- settings, made by npm run settings -->')
})

test('README.md has the first ten, with what they are in `npm start`', () => {
  expect(linesOf('README.md')).toHaveLength(2 + 10)
  expect(linesOf('README.md')).toContainEqual(expect.stringMatching(/^\| `PORT` \| 8787 \| the port/))
})

test('docs/settings.md has every setting, where it is set, and the defaults that differ', () => {
  const lines = linesOf('docs/settings.md')
  expect(lines.slice(2).map((line) => line.split('`')[1])).toEqual(allRows.map(([name]) => name))
  for (const line of [
    /^\| `PORT` \| 8787; 8788 in `engine.env` \| `npm start`, `haul.env`, `engine.env` \|/,
    /^\| `HAUL_SECRET` \| made .*; required in `wrangler secret put` \| `haul.env`, `wrangler secret put` \|/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(line))
})

test('links lead from the document', () => {
  const heading = 'operating.md#a-site-stopped-working'
  expect(linesOf('README.md').join()).toContain(`](docs/${heading})`)
  expect(linesOf('docs/settings.md').join()).toContain(`](${heading})`)
})
