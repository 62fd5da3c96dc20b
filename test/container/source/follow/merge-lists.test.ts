import { expect, test } from 'vitest'
import { mergeLists } from '../../../../container/source/follow/merge-lists.ts'

const watch = (id: string) => `https://www.youtube.com/watch?v=${id}`
const shown = (id: string, title: string | null = `Page ${id}`) => ({
  ...{ url: watch(id), title, durationSeconds: 60, platformId: `youtube:${id}` },
})
const entry = (id: string) => ({
  ...{ url: `https://www.youtube.com/shorts/${id}`, title: `Feed ${id}`, durationSeconds: null },
  ...{ guid: `yt:video:${id}`, publishedAt: 1_000, platformId: `youtube:${id}` },
})

test('an item of the page has the guid and the date of its entry, and its own URL, title and length', () => {
  expect(mergeLists([entry('a')], [shown('a'), shown('b')])).toEqual([
    { ...shown('a'), guid: 'yt:video:a', publishedAt: 1_000 },
    { ...shown('b'), guid: null, publishedAt: null },
  ])
})

test('what the page does not state is that of the entry', () => {
  expect(mergeLists([entry('a')], [shown('a', null)])).toMatchObject([{ title: 'Feed a', durationSeconds: 60 }])
})

test('entries that the page does not show come first, in the order of the feed', () => {
  const urls = mergeLists([entry('c'), entry('a'), entry('d')], [shown('b'), shown('a')]).map(
    ({ platformId }) => platformId,
  )
  expect(urls).toEqual(['youtube:c', 'youtube:d', 'youtube:b', 'youtube:a'])
})

test('items without an id of the platform are not taken for each other', () => {
  const unknown = { platformId: null }
  expect(mergeLists([{ ...entry('a'), ...unknown }], [{ ...shown('a'), ...unknown }])).toHaveLength(2)
})
