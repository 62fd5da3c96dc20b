import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dateOf } from '../../../../../../container/source/follow/feed-date.ts'
import { feedOfPage } from '../../../../../../container/source/follow/feed-of-page.ts'
import { readFollowed } from '../../../../../../container/source/follow/read-followed.ts'
import { runs } from '../../../../../support/runs.ts'
import { assembled, growsLinearly, once, type Part, repeated, within } from '../../../hostile-input.ts'

const documentOf = (text: string) => ({
  ...{ bytes: new Uint8Array(Buffer.from(text)), contentType: 'text/html; charset=utf-8' },
  url: 'https://site.example/',
})
const readFeed = (text: string) => readFollowed(documentOf(text), 500)
const readPage = (text: string) => feedOfPage(documentOf(text))

const channel = (...parts: Part[]): Part[] => [once('<rss><channel>'), ...parts, once('</channel></rss>')]
const enclosure = '<enclosure url="/#n.mp3" type="audio/mpeg"/>'

const feeds: Record<string, Part[]> = {
  guids: channel(repeated(`<item>${enclosure}<guid>#n</guid></item>`)),
  dates: channel(repeated(`<item>${enclosure}<pubDate>Thu, 19 Nov 2026 08:30:00 GMT</pubDate></item>`)),
  'one long guid': channel(once(`<item>${enclosure}<guid>`), repeated('guid #n '), once('</guid></item>')),
  'one long date': channel(once(`<item>${enclosure}<pubDate>`), repeated('Nov #n '), once('</pubDate></item>')),
}
const pages: Record<string, Part[]> = {
  feeds: [repeated('<link rel="alternate" type="application/rss+xml" href="comments/#n">')],
  'tags that do not end': [repeated('<link a#n ')],
  'values that do not end': [repeated(`<base href="#n' `)],
  comments: [repeated('<!-- #n -->')],
  'scripts that do not end': [repeated('<script>#n')],
  brackets: [repeated('<')],
}

const budget = { each: 100, fixed: 20_000 }

describe('in linear time', () => {
  test.each(Object.entries(feeds))('a feed of %s is read or refused', (_title, parts) => {
    growsLinearly(parts, readFeed)
    const text = assembled(parts, 2_000)
    expect(() => within(budget, text.length, () => readFeed(text))).not.toThrow()
  })

  test.each(Object.entries(pages))('a page of %s is searched for its feed', (_title, parts) => {
    growsLinearly(parts, readPage)
    const text = assembled(parts, 2_000)
    expect(() => within(budget, text.length, () => readPage(text))).not.toThrow()
  })
})

test('any text is a date of the calendar or none', () => {
  const words = [
    'Thu,',
    '19',
    'Nov',
    '2026',
    '-',
    '/',
    '.',
    ':',
    '08:30',
    '24:00:00',
    'T',
    'Z',
    '+02:00',
    'pm',
    'CET',
    '0',
    ' ',
  ]
  const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 }))).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (stated) => {
      const date = dateOf(stated)
      if (date !== null) expect(Number.isSafeInteger(new Date(date).getTime())).toBe(true)
    }),
    runs(2_000),
  )
})
