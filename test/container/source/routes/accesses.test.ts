import { expect, test } from 'vitest'
import { plainAccess } from '../../../../container/egress/egress.ts'
import { accessesOf, createAccessMemory } from '../../../../container/source/routes/accesses.ts'
import { noSourceProxies, readSourceProxies } from '../../../../domain/network/source-proxies.ts'

const browser = (route: number) => ({ route, asBrowser: true })
const HOUR_MS = 3_600_000

/** Of a clock that only the test moves. */
const memory = (options: Partial<Parameters<typeof createAccessMemory>[0]> = {}) => {
  let time = 0
  const created = createAccessMemory({ sourceProxies: noSourceProxies, now: () => time, ...options })
  const pass = (ms: number) => {
    time += ms
  }
  return { ...created, pass }
}

test('the access that costs least is first, then a browser by each route, and four in all', () => {
  expect(accessesOf(1)).toEqual([plainAccess, browser(0)])
  expect(accessesOf(2)).toEqual([plainAccess, browser(0), browser(1)])
  expect(accessesOf(9)).toEqual([plainAccess, browser(0), browser(1), browser(2)])
})

test('what has served a host is tried first there, and the others after it', () => {
  const sourceProxies = readSourceProxies({ byHost: 'media.example=direct media.example=http://proxy.example' })
  const { accessesTo, served } = memory({ sourceProxies })
  served('https://media.example/1', browser(1))
  expect(accessesTo('https://MEDIA.example./2')).toEqual([browser(1), plainAccess, browser(0)])
  expect(accessesTo('https://other.example/2')).toEqual([plainAccess, browser(0)])
})

test('it is forgotten after some hours, however often it is used', () => {
  const { accessesTo, served, pass } = memory()
  for (let hour = 0; hour < 6; hour++) {
    served('https://media.example/', browser(0))
    expect(accessesTo('https://media.example/')[0]).toEqual(browser(0))
    pass(HOUR_MS)
  }
  expect(accessesTo('https://media.example/')[0]).toEqual(plainAccess)
})

test('it is forgotten at once when the host refuses it, and not when the host refuses another', () => {
  const { accessesTo, served, refused } = memory()
  served('https://media.example/', browser(0))
  refused('https://media.example/', plainAccess)
  expect(accessesTo('https://media.example/')[0]).toEqual(browser(0))
  refused('https://media.example/', browser(0))
  expect(accessesTo('https://media.example/')[0]).toEqual(plainAccess)
})

test('only so many hosts are remembered', () => {
  const { accessesTo, served } = memory({ maxHosts: 2 })
  for (const host of ['a', 'b', 'c']) served(`https://${host}.example/`, browser(0))
  expect(['a', 'b', 'c'].map((host) => accessesTo(`https://${host}.example/`)[0]?.asBrowser)).toEqual([
    false,
    true,
    true,
  ])
})
