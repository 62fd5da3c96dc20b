import { expect, test } from 'vitest'
import { assign } from '../../../self-host/servers/positions.ts'

const none = [null, null, null]
const lookups = (...all: string[][]): (string | null)[] =>
  all.reduce<(string | null)[]>((before, found, index) => assign(before, found, all[index - 1] ?? []), none)

test.each([
  ['engines get the first positions', [['a', 'b']], ['a', 'b', null]],
  [
    'an engine keeps its position, whatever the order of the addresses',
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    ['a', 'b', null],
  ],
  ['a new engine gets a free position', [['a'], ['b', 'a']], ['a', 'b', null]],
  ['one lookup may lack an engine', [['a', 'b'], ['b']], ['a', 'b', null]],
  ['an engine that two lookups lack is gone', [['a', 'b'], ['b'], ['b']], [null, 'b', null]],
  ['lookups in between count again', [['a'], [], ['a'], []], ['a', null, null]],
  ['the position of one that is gone is given away', [['a', 'b'], ['b'], ['b', 'c']], ['c', 'b', null]],
  ['engines beyond the last position are left out', [['a', 'b', 'c', 'd']], ['a', 'b', 'c']],
  [
    'one that was left out moves up',
    [
      ['a', 'b', 'c', 'd'],
      ['b', 'c', 'd'],
      ['b', 'c', 'd'],
    ],
    ['d', 'b', 'c'],
  ],
])('%s', (_, found, positions) => expect(lookups(...found)).toEqual(positions))
