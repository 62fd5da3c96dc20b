import { describe, expect, test } from 'vitest'
import { isYoutubeFeed, youtubeListOf, youtubeVideoOf } from '../../../../container/source/follow/youtube.ts'

const www = 'https://www.youtube.com'
const id = 'UCabcdefghij_klmnopqrs-t'
const stated = 'UCzzzzzzzzzzzzzzzzzzzzzz'
const feeds = `${www}/feeds/videos.xml`
const found = (url: string, channelId: string | null = stated) => {
  const list = youtubeListOf(url)
  return list && [list.page.replace(www, ''), list.feedUrl(channelId)?.replace(feeds, '') ?? null]
}

describe('the page and the feed of', () => {
  test.each([
    [`/channel/${id}`, `/channel/${id}`, `?channel_id=${id}`],
    [`/channel/${id}/`, `/channel/${id}/`, `?channel_id=${id}`],
    [`/channel/${id}/videos`, `/channel/${id}/videos`, `?playlist_id=UULF${id.slice(2)}`],
    ['/@name', '/@name', `?channel_id=${stated}`],
    ['/@name/featured', '/@name/featured', `?channel_id=${stated}`],
    ['/@name/videos?view=0', '/@name/videos', `?playlist_id=UULF${stated.slice(2)}`],
    ['/@name/shorts', '/@name/shorts', `?playlist_id=UUSH${stated.slice(2)}`],
    ['/@name/streams', '/@name/streams', `?playlist_id=UULV${stated.slice(2)}`],
    ['/c/Name', '/c/Name', `?channel_id=${stated}`],
    ['/user/name', '/user/name', `?channel_id=${stated}`],
    ['/playlist?list=PLabc_-123', '/playlist?list=PLabc_-123', '?playlist_id=PLabc_-123'],
    ['/watch?v=aaaaaaaaaaa&list=PLabc', '/playlist?list=PLabc', '?playlist_id=PLabc'],
    ['/embed/videoseries?list=PLabc', '/playlist?list=PLabc', '?playlist_id=PLabc'],
    [`/feeds/videos.xml?channel_id=${id}`, `/channel/${id}`, `?channel_id=${id}`],
    ['/feeds/videos.xml?playlist_id=PLabc', '/playlist?list=PLabc', '?playlist_id=PLabc'],
    ['/feeds/videos.xml?user=name', '/user/name', '?user=name'],
  ])('%s', (path, page, feed) => expect(found(www + path)).toEqual([page, feed]))

  test.each([
    `http://youtube.com/channel/${id}`,
    `https://m.youtube.com/channel/${id}`,
    `https://music.youtube.com/channel/${id}`,
  ])('%s are those of the same channel', (url) => expect(found(url)).toEqual([`/channel/${id}`, `?channel_id=${id}`]))

  test('a playlist are found by a short URL of one of its videos', () =>
    expect(found('https://youtu.be/aaaaaaaaaaa?list=PLabc')).toEqual(['/playlist?list=PLabc', '?playlist_id=PLabc']))
})

test.each([
  ['another tab of a channel', '/@name/playlists', stated],
  ['a channel whose page states no id', '/@name', null],
  ['a channel whose page states what is no id', '/@name', '../..'],
])('%s has no feed', (_, path, channelId) => expect(found(www + path, channelId)).toEqual([path, null]))

test.each([
  `${www}/watch?v=aaaaaaaaaaa`,
  `${www}/watch?v=aaaaaaaaaaa&list=RDaaaaaaaaaaa`,
  `${www}/playlist?list=a/b`,
  `${www}/feeds/videos.xml`,
  `${www}/feeds/videos.xml?channel_id=a`,
  `${www}/`,
  'https://youtu.be/@name',
  'https://notyoutube.com/@name',
  'https://youtube.com.example/@name',
  'nothing',
])('%s is no such list', (url) => expect(youtubeListOf(url)).toBeNull())

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['http://m.youtube.com/watch?app=desktop&v=dQw4w9WgXcQ&t=1', 'dQw4w9WgXcQ'],
  ['https://music.youtube.com/watch?v=dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://youtu.be/dQw4w9WgXcQ?si=1', 'dQw4w9WgXcQ'],
  ['https://www.youtube.com/shorts/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://www.youtube.com/live/dQw4w9WgXcQ?feature=share', 'dQw4w9WgXcQ'],
  ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://www.youtube.com/embed/videoseries?list=PLabc', null],
  ['https://www.youtube.com/watch?v=short', null],
  ['https://www.youtube.com/@name/videos', null],
  ['https://youtu.be/', null],
  ['https://video.example/watch?v=dQw4w9WgXcQ', null],
])('the video of %s is %s', (url, expected) => expect(youtubeVideoOf(url)).toBe(expected))

test.each([
  [`${feeds}?channel_id=${id}`, true],
  [`${www}/channel/${id}`, false],
  ['https://pod.example/feeds/videos.xml', false],
])('%s is a feed of YouTube: %s', (url, expected) => expect(isYoutubeFeed(url)).toBe(expected))
