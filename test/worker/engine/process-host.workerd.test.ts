import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { engineOf } from '../../../worker/engine/engine.ts'
import { expectLogged } from '../support/expected-log.ts'
import { controlEngine } from '../support/fake-engine.ts'

/** Engines 6 and 7 of ENGINE_URLS, which no other test uses. */
const engineAt = async (index: number) => {
  const port = index + 1
  onTestFinished(async () => {
    await controlEngine(port, { isDead: false, status: 'ok', sites: null })
  })
  return { port, engine: engineOf(env.ENGINES, `engine-${index}`) }
}

test('an engine is the URL of ENGINE_URLS with its number', async () => {
  const { port, engine } = await engineAt(6)
  await controlEngine(port, { status: 'draining' })
  expect(await engine.state(1_000)).toMatchObject({ status: 'draining' })
  await controlEngine(port, { status: 'ok' })
  expect(await engine.state(1_000)).toMatchObject({ status: 'ok' })
})

test('a process that answers runs, and one that does not has failed and has no state', async () => {
  const { port, engine } = await engineAt(7)
  expect(await engine.launch()).toBe('running')
  await controlEngine(port, { isDead: true })
  expect([await engine.launch(), await engine.state(1_000)]).toEqual(['failed', null])
})

test('a process is not stopped, because others started it', async () => {
  const { engine } = await engineAt(7)
  await engine.shutDown()
  await engine.destroy()
  expect(await engine.state(1_000)).toMatchObject({ status: 'ok' })
})

test('an engine without a URL does not answer', async () => {
  expectLogged('error', /engine-99/)
  const engine = engineOf(env.ENGINES, 'engine-99')
  expect([await engine.launch(), await engine.state(1_000)]).toEqual(['starting', null])
})

const named = (...names: string[]) => names.map((name) => ({ name, isBroken: false }))

test('an engine says its sites, without names that are none', async () => {
  const { port, engine } = await engineAt(6)
  await controlEngine(port, { sites: { version: '2026.10.26', sites: named('youtube', '<script>', 'abc') } })
  expect(await engine.sites(1_000)).toEqual({ version: '2026.10.26', working: ['abc', 'youtube'], broken: [] })
})

test.each([
  ['more than 1 MB', { version: '1', sites: named('youtube', 'x'.repeat(1_000_000)) }],
  ['no names', { version: '1', sites: [] }],
  ['something else', { version: 1 } as never],
  ['nothing while its yt-dlp is starting', null],
])('an engine that says %s has no sites', async (_, sites) => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { port, engine } = await engineAt(6)
  await controlEngine(port, { sites })
  expect(await engine.sites(1_000)).toBeNull()
})
