import { expect, test } from 'vitest'
import { problemsOf } from '../../../../console/ops/problems.js'
import type { Sample } from '../../../../console/types.js'
import { outcome } from './outcome.ts'

const now = Date.parse('2026-11-22T03:12:05.000Z')

const sentences = (samples: Sample[], outcomes: ReturnType<typeof outcome>[] = []) =>
  problemsOf({ samples, outcomes }, now).map(({ sentence }) => sentence)

const engines = (state: string, value: number): Sample => ({ name: 'haul_engines', labels: { state }, value })
const running = (count: number): Sample => engines('running', count)
const waiting = (value: number): Sample => ({ name: 'haul_steps_waiting', labels: { step: 'fetch' }, value })
const oldest = (value: number): Sample => ({ name: 'haul_oldest_step_seconds', labels: { step: 'fetch' }, value })
const dead = (queue: string, value: number): Sample => ({ name: 'haul_dead_letters_total', labels: { queue }, value })

test('a fleet that works has no problems', () => {
  expect(sentences([running(3), waiting(4), oldest(300)], [outcome('03:00', 'completed')])).toEqual([])
})

test('before the first answer there are no problems', () => expect(problemsOf({}, now)).toEqual([]))

test('no engine is a problem while steps wait, and only then', () => {
  expect(sentences([running(0), waiting(0)])).toEqual([])
  expect(sentences([running(0), waiting(1)])).toEqual(['No engine is running, and 1 step waits.'])
  expect(sentences([engines('starting', 2), waiting(41)])).toEqual([
    'No engine is running, and 41 steps wait. 2 are starting.',
  ])
})

test('a step that has waited for more than five minutes is a problem', () => {
  expect(sentences([running(1), waiting(1), oldest(301)])).toEqual(['The oldest step (fetch) has waited for 5:01 min.'])
})

test('more failures than completions in the last hour are a problem, with their most frequent cause', () => {
  const failed = (count: number) => outcome('03:00', 'failed', count, 'vimeo.com', 'SOURCE_BLOCKED')
  expect(sentences([], [failed(3), outcome('03:00', 'completed', 3)])).toEqual([])
  expect(sentences([], [failed(4), outcome('03:00', 'completed', 3)])).toEqual([
    'In the last hour 4 jobs failed and 3 completed. Most frequent: SOURCE_BLOCKED of vimeo.com (4).',
  ])
})

test('while no job has ended in this hour, the one before counts, and canceled jobs never do', () => {
  const before = outcome('02:00', 'failed', 2, 'vimeo.com', 'TIMED_OUT')
  expect(sentences([], [before, outcome('03:00', 'canceled')])).toHaveLength(1)
  expect(sentences([], [before, outcome('03:00', 'completed')])).toEqual([])
  expect(sentences([], [outcome('01:00', 'failed')])).toEqual([])
})

test('messages in dead-letter queues are a problem, by queue', () => {
  expect(sentences([dead('haul-steps-dead', 0)])).toEqual([])
  expect(sentences([dead('haul-steps-dead', 1), dead('haul-webhooks-dead', 2)])).toEqual([
    '3 messages ended in a dead-letter queue since counting began (haul-steps-dead: 1, haul-webhooks-dead: 2).',
  ])
})

test('the most urgent problem is first', () => {
  const all = sentences([waiting(1), oldest(900), dead('q', 1)], [outcome('03:00', 'failed')])
  expect(all.map((sentence) => sentence.slice(0, 10))).toEqual(['No engine ', 'The oldest', 'In the las', '1 message '])
})
