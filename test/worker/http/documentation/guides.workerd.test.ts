import { expect, test } from 'vitest'
import { bestMatches, type Entry } from '../../../../console/assets/docs/match.js'
import { failures } from '../../../../domain/codes/failures.ts'
import { refusals } from '../../../../domain/codes/refusals.ts'
import { guides } from '../../../../worker/http/documentation/guides/all-guides.ts'
import { callApi, ORIGIN } from '../../support/caller.ts'
import { document, operations } from '../../support/documented-operations.ts'

/** All that needs no browser: the page is complete without JavaScript. */
const { headers, body: page }: { headers: Headers; body: string } = await callApi('GET', '/docs')
const matches = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map(([, found = '']) => found)
const index: Entry[] = (await callApi('GET', '/docs/search.json')).body
const summary: string = (await callApi('GET', '/llms.txt')).body
const everything: string = (await callApi('GET', '/llms-full.txt')).body

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

test('the page runs only scripts of its own, and shows the address of the deployment', () => {
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';.* trusted-types 'none'$/,
  )
  expect(page).toContain(`HAUL_URL=${ORIGIN}`)
  expect(page).toContain('do not count against a limit and do not have these headers')
})

test('all guides come before the reference, which has every endpoint, event and code', () => {
  const parts = matches(/<h2 id="([^"]+)"/g)
  const first = parts.slice(0, guides.length)
  expect([first[0], parts[guides.length]]).toEqual(['quickstart', 'tag-imports'])
  expect(first.toSorted()).toEqual(guides.map(({ id }) => id).toSorted())
  const endpoints = operations.map(([method, path]) => `${method} ${path}`)
  const shown = page.matchAll(/<h3 [^>]+><a [^>]+><span class="method \w+">(\w+)<\/span> <span class="path">([^<]+)</g)
  expect([...shown].map(([, method, path]) => `${method} ${path}`).toSorted()).toEqual(endpoints.toSorted())
  const known = [...Object.keys(refusals), ...Object.keys(failures), ...Object.keys(document.webhooks)]
  expect(matches(/<td><code>([^<]+)<\/code>/g)).toEqual(expect.arrayContaining(known))
})

test('headings never skip a level', () => {
  const levels = matches(/<h([1-6])[ >]/g).map(Number)
  expect(levels.filter((level) => level === 1)).toHaveLength(1)
  expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
})

test('every link and every result of the search has a target, and ids are unique', async () => {
  const ids = matches(/ id="([^"]+)"/g)
  expect(new Set(ids).size).toBe(ids.length)
  expect(matches(/ href="#([^"]+)"/g).filter((id) => !ids.includes(id))).toEqual([])
  expect(index.length).toBeGreaterThan(200)
  const elsewhere = index.map(({ href }) => href).filter((href) => !ids.includes(href.slice(1)))
  expect(elsewhere).toEqual(['/docs/which-model', '/docs/ai-sdk', '/docs/works-with', '/docs/sites'])
  for (const href of elsewhere) expect((await callApi('GET', href)).status).toBe(200)
})

test.each([
  ['webhooks', 'Webhooks', '#webhooks'],
  ['localhost', 'On your own machine', '#webhooks-on-your-own-machine'],
  ['POST /transcribe', 'POST /transcribe', '#post-transcribe'],
  ['reuseWithinSeconds', 'reuseWithinSeconds', '#post-import'],
  ['SOURCE_DRM', 'SOURCE_DRM', '#errors-failed-jobs-source-drm'],
  ['podcast srt', 'A podcast feed to SRT', '#podcast-to-srt'],
])('the search for "%s" finds %s first', (query, title, href) => {
  expect(bestMatches(index, query)[0]).toMatchObject({ title, href })
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
  for (const [method, path, { parameters = [] }] of operations) {
    const [, section = ''] = everything.split(`\n### ${method} ${path}\n`)
    expect(section, `${method} ${path}`).not.toBe('')
    const [own = ''] = section.split('\n### ')
    for (const { name } of parameters) expect(own).toContain(`- \`${name}\``)
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
