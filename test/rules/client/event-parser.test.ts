import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventParser } from '../../../client/src/http/read-events.ts'

const text = [
  ': a comment\n\n',
  'event: job\nid: 1\ndata: {"a":1}\n\n',
  'id: 2\r\ndata:first\r\ndata: second\r\n\r\n',
  'id: 3\nretry: 1000\n\n',
  'data\n\n',
  '\n\n',
  'data: of a stream that was cut off',
].join('')
const messages = [{ id: '1', data: '{"a":1}' }, { id: '2', data: 'first\nsecond' }, { id: '3' }, { data: '' }]

test('messages have their id and data, and comments, names and unfinished messages are left out', () => {
  expect(eventParser()(text)).toEqual(messages)
})

test('messages are the same however the stream is cut into chunks', () => {
  const cuts = fc.array(fc.nat({ max: text.length }), { maxLength: 20 })
  fc.assert(
    fc.property(cuts, (places) => {
      const parse = eventParser()
      const ends = [0, ...places.sort((a, b) => a - b), text.length]
      const seen = ends.slice(1).flatMap((end, index) => parse(text.slice(ends[index], end)))
      expect(seen).toEqual(messages)
    }),
  )
})
