import { expect, test } from 'vitest'
import type { Turn } from '../../../domain/words/speaker-turns.ts'
import { diarizationError } from '../../media/voices/diarization-error.ts'

const turns = (...spoken: [start: number, end: number, speaker: string][]): Turn[] =>
  spoken.map(([start, end, speaker]) => ({ start, end, speaker }))
const truth = turns([0, 10, 'ann'], [10, 20, 'bob'])

test.each<[string, Turn[], { missed?: number; falseAlarm?: number; confused?: number }]>([
  ['the same turns with other names have no error', turns([0, 10, 'B'], [10, 20, 'A']), {}],
  ['a turn that begins a little late is not counted', turns([0, 10.2, 'A'], [10.2, 20, 'B']), {}],
  ['one person instead of two is half confused', turns([0, 20, 'A']), { confused: 0.5 }],
  ['a half that is not found is missed', turns([0, 10, 'A']), { missed: 0.5 }],
  ['nobody found is all missed', [], { missed: 1 }],
  ['speech of two at once that is not there is a false alarm', turns([0, 20, 'A'], [10, 20, 'B']), { falseAlarm: 0.5 }],
])('%s', (_what, found, { missed = 0, falseAlarm = 0, confused = 0 }) => {
  const error = diarizationError(truth, found)
  expect(error.missed).toBeCloseTo(missed, 2)
  expect(error.falseAlarm).toBeCloseTo(falseAlarm, 2)
  expect(error.confused).toBeCloseTo(confused, 2)
})
