import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { promtool, rulesFile } from './promtool.ts'

/** docs/operating.md says what the rule file does, and what it says can be loaded. */
const rules = readFileSync(rulesFile, 'utf8')
const document = readFileSync('docs/operating.md', 'utf8')

const section = document.slice(
  document.indexOf('\n## Alerts\n'),
  document.indexOf('\n## ', document.indexOf('\n## Alerts\n') + 1),
)
const headings = [...section.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)

const withoutIndent = (text: string): string => text.replace(/^ {10}/gm, '').trim()

/** The rule file has each query as a block of text. */
const alerts = [...rules.matchAll(/^ {6}- alert: (\w+)\n {8}expr: \|\n((?: {10}.*\n)+)((?: {8}.*\n)+)/gm)].map(
  ([, name = '', query = '', rest = '']) => ({ name, query: withoutIndent(query), rest }),
)

const check = async (): Promise<string> => (await promtool(['check', 'rules'], rules)).output

test('there are seven alerts, and Prometheus accepts them', async () => {
  expect(await check()).toContain('SUCCESS: 7 rules found')
  expect(alerts).toHaveLength(7)
})

test('the document has a section for each alert, in the same order, with the same query', () => {
  expect(headings).toEqual(alerts.map(({ name }) => name))
  const queries = [...section.matchAll(/^```promql\n(.*?)\n```$/gms)].map(([, query]) => query)
  expect(queries).toEqual(alerts.map(({ query }) => query))
})

test.each(alerts)(
  '$name says how urgent it is and where its section is, and its section says what to do',
  ({ name, rest }) => {
    expect(rest).toMatch(/severity: (critical|warning)\n/)
    expect(rest).toContain(`runbook: docs/operating.md#${name.toLowerCase()}\n`)
    const own = section.slice(section.indexOf(`### ${name}\n`)).split('\n### ')[0]
    expect(own).toContain(`${rest.includes('severity: critical') ? 'Critical' : 'Warning'}.`)
    expect(own).toContain('Look first:')
    expect(own).toContain('| you see | do |')
  },
)

test('Prometheus accepts the configuration in the document', async () => {
  const [, configuration = ''] = /^```yaml\n(.*?)^```$/ms.exec(section) ?? []
  // Prometheus also looks for the files that it names. Any file will do for the token.
  const { isOk, output } = await promtool(
    ['check', 'config'],
    configuration.replace('alerts.yml', rulesFile).replace('haul-admin-token', rulesFile),
  )
  expect({ isOk, output }).toMatchObject({ isOk: true, output: expect.stringContaining('7 rules found') })
})
