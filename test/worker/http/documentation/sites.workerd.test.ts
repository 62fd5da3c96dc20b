import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { allFleets } from '../../../../worker/fleet/fleet-of.ts'
import { callApi } from '../../support/caller.ts'
import { eventually, skip } from '../../support/clock.ts'
import { controlEngine } from '../../support/fake-engine.ts'

/** The sites of the yt-dlp that engines use, and its versions in GET /health. Engines 1 and 5 of ENGINE_URLS are of one fleet. */

const fleet = allFleets(env)[0]

/** A process of the Worker remembers what it has read for a minute. After each test the clock goes back. */
const later = () => skip(61_000 * ++times)
let times = 0

const starting = { version: null, channel: 'pinned', problem: null }

const uses = async (port: number, version: string, names: string[], broken: string[] = []): Promise<void> => {
  const sites = [
    ...names.map((name) => ({ name, isBroken: false })),
    ...broken.map((name) => ({ name, isBroken: true })),
  ]
  await controlEngine(port, { extractor: { version, channel: 'stable', problem: null }, sites: { version, sites } })
  onTestFinished(async () => {
    await controlEngine(port, { extractor: starting, sites: null })
    await fleet?.wake()
  })
  await fleet?.wake()
}

const page = async () => `${(await callApi('GET', '/docs/sites')).body}`
const versions = async () => (await callApi('GET', '/health')).body.data.extractorVersions

test('the sites of the version that engines use are a page, Markdown and a list for the search', async () => {
  await uses(1, '2026.10.26', ['youtube', 'vimeo:album'], ['old.example'])
  await eventually(async () => {
    later()
    expect(await page()).toContain('2026.10.26')
  })
  const html = await page()
  expect(html).toContain('has extractors for 3 sites')
  for (const item of ['<li>youtube</li>', '<li>vimeo:album</li>', '<li>old.example <small>broken</small></li>'])
    expect(html).toContain(item)
  const markdown = await callApi('GET', '/docs/sites.md')
  expect(markdown.headers.get('content-type')).toBe('text/markdown;charset=UTF-8')
  expect(markdown.body).toContain('- `vimeo:album`\n- `youtube`\n\n## Broken\n\n- `old.example`\n')
  const { headers, body } = await callApi('GET', '/docs/sites.json')
  expect(body).toEqual({ version: '2026.10.26', working: ['vimeo:album', 'youtube'], broken: ['old.example'] })
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})

test('when engines have renewed their yt-dlp, the page has the sites of the new version', async () => {
  await uses(1, '2026.11.1', ['youtube'])
  await uses(5, '2026.11.1', ['youtube'])
  await uses(1, '2026.11.2', ['youtube', 'new.example'])
  await uses(5, '2026.11.2', ['youtube', 'new.example'])
  await eventually(async () => {
    later()
    expect(await page()).toContain('<li>new.example</li>')
  })
  expect((await callApi('GET', '/docs/sites.json')).body.version).toBe('2026.11.2')
})

test('names that are no names of sites are on none of the pages', async () => {
  await uses(1, '2026.11.3', ['youtube', '<img src=x onerror=alert(1)>', '[a](javascript:alert(1))', 'a`b'])
  await uses(5, '2026.11.3', ['youtube'])
  await eventually(async () => {
    later()
    expect(await page()).toContain('2026.11.3')
  })
  for (const path of ['/docs/sites', '/docs/sites.md', '/docs/sites.json']) {
    const text = JSON.stringify((await callApi('GET', path)).body)
    expect(text).toContain('youtube')
    for (const part of ['onerror', 'javascript:', 'a`b']) expect(text).not.toContain(part)
  }
})

test('GET /health says the versions of yt-dlp, newest first, and none of engines that do not say theirs', async () => {
  await uses(1, '2026.9.30', ['youtube'])
  await uses(5, '2026.10.26', ['youtube'])
  later()
  expect(await versions()).toEqual(['2026.10.26', '2026.9.30'])
  await controlEngine(5, { extractor: starting })
  await fleet?.wake()
  later()
  expect(await versions()).toEqual(['2026.9.30'])
})

test('GET /health and the page ask no engine, and a fleet at most once a minute', async () => {
  await uses(1, '2026.10.26', ['youtube'])
  later()
  expect([await versions(), (await page()).includes('2026.10.26')]).toEqual([['2026.10.26'], true])
  await controlEngine(1, { isDead: true })
  onTestFinished(async () => void (await controlEngine(1, { isDead: false })))
  const reads = vi.spyOn(env.FLEET_OBJECTS, 'getByName')
  for (let requests = 0; requests < 5; requests++) await Promise.all([versions(), page()])
  expect(reads).not.toHaveBeenCalled()
  later()
  expect(await versions()).toEqual(['2026.10.26'])
})

test.each([
  [
    'is of an earlier release',
    () => Promise.reject(new TypeError('The RPC receiver does not implement "extractors".')),
  ],
  ['does not answer', () => new Promise(() => {})],
])('GET /health and the page answer with what was known while a fleet %s', async (_, extractors) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  await uses(1, '2026.10.26', ['youtube'])
  later()
  expect([await versions(), (await page()).includes('2026.10.26')]).toEqual([['2026.10.26'], true])
  const fleets = vi.spyOn(env.FLEET_OBJECTS, 'getByName').mockReturnValue({ extractors } as never)
  later()
  expect(await versions()).toEqual(['2026.10.26'])
  later()
  expect((await page()).includes('2026.10.26')).toBe(true)
  expect(fleets).toHaveBeenCalled()
  fleets.mockRestore()
})
