import { expect, test } from 'vitest'
import { failures } from '../../../../domain/codes/failures.ts'
import { refusals } from '../../../../domain/codes/refusals.ts'
import { guides } from '../../../../worker/http/documentation/guides/all-guides.ts'
import { callApi, ORIGIN } from '../../support/caller.ts'

const page: string = (await callApi('GET', '/docs')).body
const summary: string = (await callApi('GET', '/llms.txt')).body
const everything: string = (await callApi('GET', '/llms-full.txt')).body
const { body: document } = await callApi('GET', '/openapi.json')

test.each(guides.map(({ id }) => id))('the guide %s is also Markdown, with its numbers filled in', async (id) => {
  const { status, headers, body } = await callApi('GET', `/docs/${id}.md`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown;charset=UTF-8'])
  expect(body).toMatch(/^# \S/)
  expect(body).not.toContain('{{')
  expect(everything).toContain(body)
})

test('a guide that does not exist is not found', async () => {
  expect((await callApi('GET', '/docs/none.md')).status).toBe(404)
})

test('every heading of a guide has a link to itself', () => {
  const headings = [...page.matchAll(/<h[23] id="([^"]+)"><a href="([^"]+)">/g)]
  expect(headings.length).toBeGreaterThan(30)
  for (const [, id, href] of headings) expect(href).toBe(`#${id}`)
  for (const { id } of guides) expect(headings.map(([, found]) => found)).toContain(id)
})

test('/llms.txt is a title, a summary, and sections of links that work', async () => {
  expect(summary).toMatch(/^# Haul\n\n> \S/)
  const [, ...sections] = summary.split('\n## ')
  expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(['Guides', 'Recipes', 'Endpoints', 'Optional'])
  const lines = sections.flatMap((section) => section.trim().split('\n').slice(2))
  for (const line of lines) {
    const [, url = ''] = /^- \[[^\]]+\]\(([^)]+)\)(?:: .+)?$/.exec(line) ?? []
    expect(url, line).toMatch(new RegExp(`^${ORIGIN}/`))
    expect([url, (await callApi('GET', url.replace(ORIGIN, ''))).status]).toEqual([url, 200])
  }
})

test('/llms-full.txt has every endpoint with its parameters, and every code', () => {
  for (const [path, operations] of Object.entries<Record<string, { parameters?: { name: string }[] }>>(
    document.paths,
  )) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      const [, section = ''] = everything.split(`\n### ${method.toUpperCase()} ${path}\n`)
      expect(section, `${method} ${path}`).not.toBe('')
      const [own = ''] = section.split('\n### ')
      for (const { name } of parameters) expect(own).toContain(`- \`${name}\``)
    }
  }
  for (const code of [...Object.keys(refusals), ...Object.keys(failures)]) expect(everything).toContain(`\`${code}\``)
})

test.each([
  ['limits', '| `POST /import` | 240 | 2 |'],
  ['costs', '| Built-in speech recognition | $0.02 for each minute, at least $0.03 |'],
  ['costs', '| Recognize an episode of 30 minutes, 14.4 MB | $0.144 | $0.60 | $0.744 |'],
  ['webhooks', 'after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, each'],
])('the guide %s has the figures that apply', async (id, text) => {
  expect((await callApi('GET', `/docs/${id}.md`)).body).toContain(text)
})
