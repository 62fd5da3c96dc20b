import { expect, test } from 'vitest'
import { timedLink } from '../../../../domain/search/timed-link.ts'

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=754'],
  ['http://m.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1', 'http://m.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1&t=754'],
  ['https://music.youtube.com/watch?v=dQw4w9WgXcQ', 'https://music.youtube.com/watch?v=dQw4w9WgXcQ&t=754'],
  ['https://YOUTUBE.com/watch?t=3&v=dQw4w9WgXcQ', 'https://youtube.com/watch?t=754&v=dQw4w9WgXcQ'],
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&start=3#t=1m', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=754'],
  [
    'https://www.youtube.com/live/dQw4w9WgXcQ?feature=share',
    'https://www.youtube.com/live/dQw4w9WgXcQ?feature=share&t=754',
  ],
  ['https://www.youtube.com/shorts/dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=754'],
  ['https://www.youtube.com/embed/dQw4w9WgXcQ?start=3', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=754'],
  ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=754'],
  ['https://youtu.be/dQw4w9WgXcQ?si=abc&t=1m3s', 'https://youtu.be/dQw4w9WgXcQ?si=abc&t=754'],
  ['https://www.twitch.tv/videos/934247376', 'https://www.twitch.tv/videos/934247376?t=754s'],
  ['https://m.twitch.tv/videos/934247376?t=10h29m46s', 'https://m.twitch.tv/videos/934247376?t=754s'],
  ['https://www.twitch.tv/gamesdonequick/v/9136645', 'https://www.twitch.tv/gamesdonequick/v/9136645?t=754s'],
  ['https://vimeo.com/76979871', 'https://vimeo.com/76979871#t=754s'],
  ['https://vimeo.com/76979871/4ed3b9a5f4?share=copy#t=3s', 'https://vimeo.com/76979871/4ed3b9a5f4?share=copy#t=754s'],
  ['https://vimeo.com/channels/staffpicks/76979871', 'https://vimeo.com/channels/staffpicks/76979871#t=754s'],
  ['https://vimeo.com/showcase/11/video/76979871', 'https://vimeo.com/showcase/11/video/76979871#t=754s'],
  [
    'https://player.vimeo.com/video/76979871?h=4ed3b9a5f4',
    'https://player.vimeo.com/video/76979871?h=4ed3b9a5f4#t=754s',
  ],
])('%s plays from there as %s', (url, expected) => expect(timedLink(url, 754.9)).toBe(expected))

test.each([
  ['another site', 'https://example.com/watch?v=dQw4w9WgXcQ'],
  ['a host that ends like one', 'https://notyoutube.com/watch?v=dQw4w9WgXcQ'],
  ['a host that begins like one', 'https://youtube.com.example/watch?v=dQw4w9WgXcQ'],
  ['a host that is no page of videos', 'https://studio.youtube.com/watch?v=dQw4w9WgXcQ'],
  ['a name of every object', 'https://constructor/watch?v=dQw4w9WgXcQ'],
  ['another port', 'https://youtube.com:8443/watch?v=dQw4w9WgXcQ'],
  ['a channel', 'https://www.youtube.com/@someone'],
  ['a page without its video', 'https://www.youtube.com/watch?list=PL1'],
  ['a list of Shorts', 'https://www.youtube.com/shorts/'],
  ['the first page of the short name', 'https://youtu.be/'],
  ['a channel of Twitch', 'https://www.twitch.tv/gamesdonequick'],
  ['a clip of Twitch', 'https://clips.twitch.tv/ObliqueOddCougarFunRun'],
  ['a user of Vimeo', 'https://vimeo.com/user123'],
  ['another protocol', 'ftp://youtube.com/watch?v=dQw4w9WgXcQ'],
  ['text', 'dQw4w9WgXcQ'],
])('no time can be added to the address of %s', (_, url) => expect(timedLink(url, 1)).toBeNull())

test.each([
  [0, '0s'],
  [59.99, '59s'],
  [3600, '3600s'],
  [100 * 3600 + 61, '360061s'],
  [-1, '0s'],
])('%d seconds are %s on Twitch', (seconds, time) =>
  expect(timedLink('https://www.twitch.tv/videos/1', seconds)).toBe(`https://www.twitch.tv/videos/1?t=${time}`),
)
