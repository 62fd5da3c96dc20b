import { expect, test } from 'vitest'
import { tableOf, withTable } from '../../../../scripts/settings/tables.ts'

const document = `# Title

<!-- settings of start, made by npm run settings -->
old
<!-- end of settings of start -->

The end.
`

test('a table is written between its two comments, again and again', () => {
  const once = withTable(document, 'start', '| new |')
  expect(once).toContain('npm run settings -->\n\n| new |\n\n<!-- end of settings of start -->\n\nThe end.\n')
  expect(once).not.toContain('old')
  expect(withTable(once, 'start', '| new |')).toBe(once)
})

test('a document without the comments is an error', () => {
  expect(() => withTable(document, 'selfHost', '')).toThrow('The document needs the lines <!-- settings of selfHost')
})

test('a row has the name, the default and the explanation; neighbours for the same thing share a row', () => {
  const lines = tableOf('start', 'README.md').split('\n')
  expect(lines).toContain('| `PORT` | 8787 | the port of the Worker |')
  expect(lines).toContainEqual(
    expect.stringMatching(/^\| `PROVIDER_A`, `PROVIDER_B`, `PROVIDER_C` \| openai, deepgram, assemblyai \|/),
  )
})

test('links lead from the document', () => {
  const heading = 'operating.md#sources-that-refuse-data-centre-addresses'
  expect(tableOf('container', 'README.md')).toContain(`](docs/${heading})`)
  expect(tableOf('container', 'docs/self-hosting.md')).toContain(`](${heading})`)
})
