import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { allClients, type Client, versionOf } from '../../clients/clients.ts'
import { requestsOf } from '../../clients/programs/programs.ts'

/** The page "What Haul works with" names the programs that are run, with what they are run with. */
const page = join(import.meta.dirname, '../../../worker/http/documentation/works-with.md')
const clients = join(import.meta.dirname, '../../clients')
const url = 'https://haul.example.com'
const markdown = readFileSync(page, 'utf8')
  .replaceAll('{{base-url}}', url)
  .replaceAll('{{base-url-with-key}}', url.replace('://', '://haul:haul_…@'))

const named = marked
  .lexer(markdown)
  .filter((token): token is Tokens.Table => token.type === 'table')
  .flatMap(({ rows }) => rows.map((cells) => cells.map(({ text }) => text) as [string, string, string]))

const sourceOf = ({ program }: Client): string => readFileSync(join(clients, program), 'utf8')
/** Formatters divide lines. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

test('the page names the clients that tests run, and no others', () => {
  expect(named.map(([name]) => name).sort()).toEqual(allClients.map(({ name }) => name).sort())
})

test('no client’s name begins another’s, because tests are counted by them', () => {
  for (const { name } of allClients) {
    expect(allClients.filter((client) => client.name.startsWith(`${name} `)).map((client) => client.name)).toEqual([])
  }
})

describe.each(allClients)('$name', (client) => {
  const [, version, setting] = named.find(([name]) => name === client.name) ?? ['', '', '']

  test('has a program and the version that the page names', () => {
    expect(existsSync(join(clients, client.program))).toBe(true)
    expect(version).toBe(versionOf(client) ?? 'any')
  })

  test('is run with what the page says', () => {
    const shown = [...setting.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    const program = requestsOf[client.name]
    if (program) {
      const entries = Object.entries(program.settings(url, 'haul_…'))
      for (const [name, value] of entries) expect(setting).toMatch(new RegExp(`\`${name}(?:=|: )${value}\``))
      return
    }
    const source = oneLine(sourceOf(client))
    for (const code of shown) expect(source).toContain(code)
  })
})
