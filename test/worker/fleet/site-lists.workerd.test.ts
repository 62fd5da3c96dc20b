import { expect, test, vi } from 'vitest'
import { eventually, skip } from '../support/clock.ts'
import { openFleet } from '../support/fleet.ts'

/** What a fleet keeps of the yt-dlp of its engines, for readers who must not wake one. */

const using = (version: string) => ({ version, channel: 'stable', problem: null })
const sitesOf = (version: string) => ({ version, working: ['youtube', `new-in-${version}`], broken: ['old'] })

const oneEngine = async (version: string) => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  const engine = fleet.engine('engine-0')
  Object.assign(engine, { isUp: true, extractor: using(version), knownSites: sitesOf(version) })
  await fleet.call((object) => object.wake())
  const known = () => fleet.call(async (object) => object.extractors())
  const versions = async () => (await known()).lists.map((list) => list.version)
  const sites = (of: string) => fleet.call(async (object) => object.sites(of))
  return { fleet, engine, known, versions, sites }
}

test('an engine is asked once for the sites of its version, and again when it has another one', async () => {
  const { fleet, engine, known, versions, sites } = await oneEngine('2026.10.1')
  await eventually(async () => expect(await versions()).toEqual(['2026.10.1']))
  await fleet.round()
  await fleet.round()
  expect([engine.sitesAsked, await sites('2026.10.1')]).toEqual([1, sitesOf('2026.10.1')])
  Object.assign(engine, { extractor: using('2026.10.26'), knownSites: sitesOf('2026.10.26') })
  await fleet.call((object) => object.wake())
  await eventually(async () => expect(await versions()).toEqual(['2026.10.1', '2026.10.26']))
  expect([engine.sitesAsked, await sites('2026.10.26')]).toEqual([2, sitesOf('2026.10.26')])
  expect((await known()).engines).toEqual([{ version: '2026.10.26', count: 1 }])
})

test('versions and sites are known after an eviction, and while no engine runs, without asking one', async () => {
  const { fleet, engine, known, versions, sites } = await oneEngine('2026.10.1')
  await eventually(async () => expect(await versions()).toEqual(['2026.10.1']))
  await fleet.evict()
  const state = vi.spyOn(engine, 'state')
  expect((await known()).engines).toEqual([{ version: '2026.10.1', count: 1 }])
  expect(await sites('2026.10.1')).toEqual(sitesOf('2026.10.1'))
  expect([state.mock.calls.length, engine.launches, engine.sitesAsked]).toEqual([0, 0, 1])
  Object.assign(engine, { isUp: false, launchResult: 'failed' })
  await fleet.round()
  expect((await known()).engines).toEqual([])
  expect(await versions()).toEqual(['2026.10.1'])
})

test('an engine that does not say its sites is asked again after five minutes', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { fleet, engine, versions } = await oneEngine('2026.10.1')
  Object.assign(engine, { extractor: using('2026.10.2'), knownSites: null })
  await fleet.round()
  await fleet.round()
  await eventually(async () => expect(engine.sitesAsked).toBe(2))
  engine.knownSites = sitesOf('2026.10.2')
  await fleet.round()
  expect(engine.sitesAsked).toBe(2)
  skip(5 * 60_000)
  await fleet.round()
  await eventually(async () => expect(await versions()).toContain('2026.10.2'))
})

test('the sites of another version than the engine states are not kept', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { fleet, engine, versions } = await oneEngine('2026.10.1')
  Object.assign(engine, { extractor: using('2026.10.2'), knownSites: sitesOf('2026.10.3') })
  await fleet.round()
  await eventually(async () => expect(engine.sitesAsked).toBe(2))
  expect(await versions()).toEqual(['2026.10.1'])
})

test('an engine that starts its yt-dlp and one whose version is none are not asked', async () => {
  const fleet = await openFleet({ names: ['engine-0', 'engine-1'], warm: 2, areElsewhere: true })
  const extractors = [{ ...using(''), version: null }, using('<b>1</b>')]
  extractors.forEach((extractor, index) => {
    Object.assign(fleet.engine(`engine-${index}`), { isUp: true, extractor })
  })
  await fleet.round()
  expect(await fleet.call(async (object) => object.extractors())).toEqual({ engines: [], lists: [] })
  expect([0, 1].map((index) => fleet.engine(`engine-${index}`).sitesAsked)).toEqual([0, 0])
})

test('three lists are kept, with that of a version which an engine uses', async () => {
  const fleet = await openFleet({ names: ['engine-0', 'engine-1'], warm: 2, areElsewhere: true })
  const [old, renewed] = ['engine-0', 'engine-1'].map((name) => fleet.engine(name))
  Object.assign(old ?? {}, { isUp: true, extractor: using('1.0'), knownSites: sitesOf('1.0') })
  Object.assign(renewed ?? {}, { isUp: true })
  const versions = async () =>
    (await fleet.call(async (object) => object.extractors())).lists.map((each) => each.version)
  for (const version of ['2.0', '3.0', '4.0', '5.0']) {
    Object.assign(renewed ?? {}, { extractor: using(version), knownSites: sitesOf(version) })
    skip(1_000)
    await fleet.round()
    await eventually(async () => expect(await versions()).toContain(version))
  }
  expect((await versions()).sort()).toEqual(['1.0', '3.0', '4.0', '5.0'])
})
