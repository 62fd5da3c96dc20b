import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetNames, namesOf, rename } from '../../../../console/assets/transcript/speaker-names.js'

/** As far as the console uses a browser's storage. */
const createStorage = () => {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
    removeItem: (name: string) => void items.delete(name),
  }
}

let storage: ReturnType<typeof createStorage>

beforeEach(() => {
  storage = createStorage()
  vi.stubGlobal('localStorage', storage)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('a name is kept for its job alone', () => {
  expect([...rename('trn_1', 'A', 'Ann')]).toEqual([['A', 'Ann']])
  expect([...namesOf('trn_1')]).toEqual([['A', 'Ann']])
  expect([...namesOf('trn_2')]).toEqual([])
})

test.each(['', '  ', 'A'])(
  'with the name “%s” the speaker has the label again, and nothing is left in the storage',
  (name) => {
    rename('trn_1', 'A', 'Ann')
    expect([...rename('trn_1', 'A', name)]).toEqual([])
    expect(storage.items.size).toBe(0)
  },
)

test('a name is on one line, and has at most 60 characters', () => {
  rename('trn_1', 'A', ` Ann\t\u0085${'x'.repeat(80)}`)
  expect(namesOf('trn_1').get('A')).toBe(`Ann ${'x'.repeat(56)}`)
})

test('names of 100 jobs are kept, and those that were changed longest ago are forgotten', () => {
  for (let job = 0; job < 100; job++) rename(`trn_${job}`, 'A', 'Ann')
  rename('trn_0', 'B', 'Bo')
  rename('trn_100', 'A', 'Ann')
  expect(namesOf('trn_1').size).toBe(0)
  expect(namesOf('trn_0').size).toBe(2)
  expect(JSON.parse([...storage.items.values()][0] ?? '')).toHaveLength(100)
})

test('the names of a job that is removed are forgotten', () => {
  rename('trn_1', 'A', 'Ann')
  rename('trn_2', 'A', 'Bo')
  forgetNames('trn_1')
  expect([namesOf('trn_1').size, namesOf('trn_2').size]).toEqual([0, 1])
})

test('a label that is the name of a property is a label as any other', () => {
  rename('trn_1', '__proto__', 'Ann')
  expect([...namesOf('trn_1')]).toEqual([['__proto__', 'Ann']])
})

test.each(['{', '{}', 'null', '[1]', '[["trn_1", 5]]'])('what is stored as %s is as good as nothing', (text) => {
  storage.items.set('haul speakers', text)
  expect(namesOf('trn_1').size).toBe(0)
  expect([...rename('trn_1', 'A', 'Ann')]).toEqual([['A', 'Ann']])
})

test('where the browser stores nothing, names are kept as long as the page', async () => {
  const setItem = () => {
    throw new Error('The quota has been exceeded.')
  }
  vi.stubGlobal('localStorage', { ...storage, setItem })
  // Another page: this one goes on to store names in the tests that follow.
  const copy = '../../../../console/assets/transcript/speaker-names.js?another-page'
  const page: typeof import('../../../../console/assets/transcript/speaker-names.js') = await import(copy)
  page.rename('trn_1', 'A', 'Ann')
  expect([...page.namesOf('trn_1')]).toEqual([['A', 'Ann']])
})
