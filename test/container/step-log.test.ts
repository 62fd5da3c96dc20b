import { expect, test } from 'vitest'
import { errorFields, stepLog } from '../../container/log.ts'

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

test('an error is logged with its causes, and without the queries of URLs', () => {
  const signed = (path: string) => `no answer from https://storage.example/${path}?signature=secret#secret`
  const error = new Error(signed('a'), { cause: new Error(signed('b'), { cause: new Error(signed('c')) }) })
  const fields = errorFields(error)
  expect(fields).toMatchObject({
    error: 'Error: no answer from https://storage.example/a',
    causes: ['no answer from https://storage.example/b', 'no answer from https://storage.example/c'],
  })
  expect(JSON.stringify([fields, errorFields(signed('d'))])).not.toContain('secret')
})

test('what went wrong is always logged', () => {
  expect(logged(0, 'step ended', { status: 'failed', code: 'SOURCE_PRIVATE' })).toBe(200)
  expect(logged(0, 'source proxy failed', {})).toBe(200)
})
