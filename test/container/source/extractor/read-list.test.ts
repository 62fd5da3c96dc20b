import { expect, test } from 'vitest'
import { readList } from '../../../../container/source/extractor/read-answer.ts'

const read = (items: object[], more: object = {}) => {
  const list = { isSingle: false, isWhole: true, count: items.length, items, ...more }
  return readList(new TextEncoder().encode(JSON.stringify({ list })), 500)
}
const idOf = (item: object) => read([{ url: 'https://video.example/1', ...item }]).items[0]?.platformId

test('a list has the ids of its videos, and the channel that it is of', () => {
  const items = [{ url: 'https://video.example/1', title: 'One', duration: 60, ie_key: 'Site', id: 'A1' }]
  expect(read(items, { title: 'A channel', channel_id: 'UC1', isWhole: false })).toEqual({
    ...{ title: 'A channel', count: 1, isSingle: false, isWhole: false, channelId: 'UC1' },
    items: [{ url: 'https://video.example/1', title: 'One', durationSeconds: 60, platformId: 'site:A1' }],
  })
})

test.each([
  [{ ie_key: 'Vimeo', id: '123' }, 'vimeo:123'],
  [{ ie_key: 'Youtube', id: 'dQw4w9WgXcQ' }, 'youtube:dQw4w9WgXcQ'],
  [{ ie_key: 'YoutubeWebArchive', id: 'dQw4w9WgXcQ' }, 'youtube:dQw4w9WgXcQ'],
  [{ url: 'https://youtu.be/dQw4w9WgXcQ' }, 'youtube:dQw4w9WgXcQ'],
  [{ url: 'https://www.youtube.com/shorts/dQw4w9WgXcQ', ie_key: 'Generic', id: 'x' }, 'youtube:dQw4w9WgXcQ'],
  [{ ie_key: 'YoutubeTab', id: 'PLabc' }, 'youtubetab:PLabc'],
  [{ ie_key: 'Generic', id: '1' }, null],
  [{ ie_key: 'Html5', id: '1' }, null],
  [{ id: '1' }, null],
  [{ ie_key: 'Vimeo' }, null],
  [{ ie_key: 'Vimeo', id: 1 }, null],
  [{ ie_key: 'Vimeo', id: '1'.repeat(201) }, null],
])('the id of %j is %s', (item, platformId) => expect(idOf(item)).toBe(platformId))
