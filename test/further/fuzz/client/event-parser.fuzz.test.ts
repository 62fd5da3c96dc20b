import { expect, test } from 'vitest'
import { eventParser } from '../../../../client/src/http/read-events.ts'
import { countGrowsLinearly } from '../hostile-input.ts'

test('a transcript in one line of many chunks is parsed in linear time', () => {
  const chunk = 'x'.repeat(64)
  const parseInChunks = (count: number) => {
    const parse = eventParser()
    parse('data: ')
    for (let sent = 0; sent < count; sent++) expect(parse(chunk)).toEqual([])
    expect(parse('\n\n')[0]?.data).toHaveLength(count * chunk.length)
  }
  countGrowsLinearly((count) => count, 500, parseInChunks)
})
