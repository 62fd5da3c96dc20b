import { expect, test } from 'vitest'
import { alertTest, inputSeries, minutes, samplesOf } from './time-line.ts'

const target = 'job="haul",instance="haul.example.com"'

test('each series has one value a minute, and `up` says whether the scrape worked', () => {
  const scrapes = [...minutes(2, '# TYPE a gauge\na 1\n# EOF\n'), ...minutes(2, null), 'a 2.5\nb{c="d"} 3\n']
  expect(inputSeries(scrapes)).toEqual([
    { series: `up{${target}}`, values: '1 1 0 0 1' },
    { series: `a{${target}}`, values: '1 1 stale _ 2.5' },
    { series: `b{${target},c="d"}`, values: '_ _ _ _ 3' },
  ])
})

test.each([
  ['a 1', `a{${target}}`, '1'],
  ['a{b="c d",e=""} 12.25', `a{${target},b="c d",e=""}`, '12.25'],
  ['a_bucket{le="+Inf"} 1e+06', `a_bucket{${target},le="+Inf"}`, '1e+06'],
])('the sample %s is read', (line, series, value) => {
  expect(samplesOf(line)).toEqual(new Map([[series, value]]))
})

test.each(['a', 'a one', '<html>', 'a{b="c"}1'])('the line %s is no sample', (line) => {
  expect(() => samplesOf(line)).toThrow(`not a sample: ${line}`)
})

test('an alert is expected from its first to its last minute, and none in the others', () => {
  const file = JSON.parse(alertTest('rules.yml', minutes(4, ''), [{ alert: 'Down', from: 1, to: 2 }]))
  const expected = (file.tests[0].promql_expr_test as { eval_time: string; exp_samples: object[] }[]).map(
    ({ eval_time, exp_samples }) => [eval_time, exp_samples.length],
  )
  expect(expected).toEqual([
    ['0m', 0],
    ['1m', 1],
    ['2m', 1],
    ['3m', 0],
  ])
})
