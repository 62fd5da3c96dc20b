import { expect, test } from 'vitest'
import { stepLog } from '../../container/log.ts'

const jobs = Array.from({ length: 200 }, (_, index) => `imp_${index}`)

const logged = (share: number, event: string, fields: object): number => {
  let lines = 0
  const log = stepLog(share, () => {
    lines += 1
  })
  for (const jobId of jobs) log(event, { jobId, ...fields })
  return lines
}

test.each([
  ['step started', {}],
  ['step ended', { status: 'done' }],
])('"%s" %j is logged for a share of the jobs', (event, fields) => {
  expect(logged(0, event, fields)).toBe(0)
  expect(logged(1, event, fields)).toBe(200)
  expect(logged(0.1, event, fields)).toBeGreaterThan(0)
  expect(logged(0.1, event, fields)).toBeLessThan(60)
})

test('what went wrong is always logged', () => {
  expect(logged(0, 'step ended', { status: 'failed', code: 'SOURCE_PRIVATE' })).toBe(200)
  expect(logged(0, 'source proxy failed', {})).toBe(200)
})
