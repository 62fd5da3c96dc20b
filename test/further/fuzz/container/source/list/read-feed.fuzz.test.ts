import { expect, test } from 'vitest'
import { readFeed } from '../../../../../../container/source/list/read-feed.ts'
import { assembled, growsLinearly, once, type Part, repeated, within } from '../../../hostile-input.ts'

const read = (text: string) =>
  readFeed({ bytes: new Uint8Array(Buffer.from(text)), contentType: null, url: 'https://pod.example/show.xml' }, 500)

const channel = (...parts: Part[]): Part[] => [once('<rss><channel>'), ...parts, once('</channel></rss>')]

const suspects: Record<string, Part[]> = {
  text: channel(repeated('words ')),
  episodes: channel(repeated('<item><enclosure url="https://cdn.example/#n.mp3" type="audio/mpeg"/></item>')),
  'closing tags': channel(repeated('</a>')),
  ampersands: channel(repeated('&')),
  brackets: channel(repeated('<')),
  attributes: channel(once('<item '), repeated('a#n="b" '), once('>')),
  'the same attribute': channel(once('<item '), repeated('a="b" '), once('>')),
  'an attribute that does not end soon': channel(once('<item a="'), repeated('b'), once('">')),
}

/** A feed may have 2 MB, and the reader has ten seconds of CPU time. Measured: at most 75 operations for each character. */
const budget = { each: 100, fixed: 20_000 }

test.each(Object.entries(suspects))('a feed of %s is read or refused in linear time', (_title, parts) => {
  growsLinearly(parts, read)
  const text = assembled(parts, 2_000)
  expect(() => within(budget, text.length, () => read(text))).not.toThrow()
})
