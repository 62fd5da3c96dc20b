import { expect, test } from 'vitest'
import { allClients } from '../../clients/clients.ts'
import { type Report, scoreOf } from '../../clients/score.ts'

const passed = allClients.map(({ name }) => ({ title: `${name} does what it is for`, status: 'passed' }))
const reportOf = (assertionResults: Report['testResults'][number]['assertionResults']): Report => ({
  testResults: [{ assertionResults }],
})
const all = allClients.length

test('all clients work when all their tests have passed', () => {
  expect(scoreOf(reportOf(passed), {})).toEqual([`${all} of ${all} clients work unmodified`])
})

test('a client of which one test has failed is named', () => {
  const forged = { title: 'svix for Go refuses a webhook whose body was changed', status: 'failed' }
  const score = scoreOf(reportOf([...passed, forged]), {})
  expect(score).toEqual(['FAILED: svix for Go', `${all - 1} of ${all} clients work unmodified`])
})

test('a client whose test did not run has failed', () => {
  const score = scoreOf(reportOf(passed.filter(({ title }) => !title.startsWith('curl '))), {})
  expect(score[0]).toBe('FAILED: curl')
})

test('clients that cannot be installed are named with the reason, and have not failed', () => {
  const score = scoreOf(reportOf(passed), { 'Cargo.toml': '`cargo` is not installed.' })
  const count = allClients.filter(({ from }) => from === 'Cargo.toml').length
  expect(score).toHaveLength(count + 1)
  expect(score[0]).toBe('NOT TESTED: async-openai, because it cannot be installed (`cargo` is not installed.)')
  expect(score.at(-1)).toBe(`${all - count} of ${all} clients work unmodified`)
})
