import { expect, test } from 'vitest'
import {
  changedLimits,
  defaultLimits,
  fullRateState,
  type LimitChanges,
  limitsOf,
  type OwnLimits,
  WINDOW_MS,
} from '../../../../domain/account/account-limits.ts'

test('the default limits match the contract', () => {
  expect(defaultLimits).toEqual({
    requestsPerHour: { import: 240, transcribe: 240, status: 3_600, general: 3_600 },
    concurrentJobs: { import: 2, transcription: 5 },
    freeWork: { engineSecondsPerHour: 1_200, bytesPerHour: 20_000_000_000 },
    uploadBytes: 50_000_000_000,
    watches: 100,
  })
  expect(WINDOW_MS).toBe(3_600_000)
})

const none = { requestsPerHour: {}, concurrentJobs: {}, freeWork: {} }
const requests = (limits: OwnLimits['requestsPerHour']): OwnLimits => ({ ...none, requestsPerHour: limits })

test.each<[string, OwnLimits, LimitChanges, OwnLimits]>([
  ['a limit is set', {}, { requestsPerHour: { import: 10 } }, requests({ import: 10 })],
  [
    'the others stay',
    requests({ import: 10 }),
    { requestsPerHour: { status: 1 } },
    requests({ import: 10, status: 1 }),
  ],
  ['a limit is replaced', requests({ import: 10 }), { requestsPerHour: { import: 11 } }, requests({ import: 11 })],
  [
    'null resets a limit',
    requests({ import: 10, status: 1 }),
    { requestsPerHour: { import: null } },
    requests({ status: 1 }),
  ],
  ['null of a default changes nothing', {}, { requestsPerHour: { general: null } }, requests({})],
  [
    'groups are independent',
    requests({ import: 10 }),
    { concurrentJobs: { import: 7 } },
    { ...none, requestsPerHour: { import: 10 }, concurrentJobs: { import: 7 } },
  ],
  [
    'a value that is the default is the account’s own',
    {},
    { requestsPerHour: { import: 240 } },
    requests({ import: 240 }),
  ],
  ['a limit without a group is set', {}, { uploadBytes: 5 }, { ...none, uploadBytes: 5 }],
  [
    'it stays',
    { uploadBytes: 5 },
    { freeWork: { bytesPerHour: 7 } },
    { ...none, freeWork: { bytesPerHour: 7 }, uploadBytes: 5 },
  ],
  ['it is reset by null', { uploadBytes: 5 }, { uploadBytes: null }, none],
])('changes of limits: %s', (_, own, changes, expected) => expect(changedLimits(own, changes)).toEqual(expected))

test('limits that an account does not have of its own are those of the deployment', () => {
  expect(limitsOf({}, defaultLimits)).toEqual(defaultLimits)
  expect(limitsOf({ requestsPerHour: { import: 10 }, concurrentJobs: { transcription: 50 } }, defaultLimits)).toEqual({
    requestsPerHour: { import: 10, transcribe: 240, status: 3_600, general: 3_600 },
    concurrentJobs: { import: 2, transcription: 50 },
    freeWork: defaultLimits.freeWork,
    uploadBytes: 50_000_000_000,
    watches: 100,
  })
  expect(limitsOf({ uploadBytes: 7 }, defaultLimits).uploadBytes).toBe(7)
})

test('a caller without an account sees a full window that starts now, with its end rounded up', () => {
  expect(fullRateState(defaultLimits, 'import', 1_000)).toEqual({
    class: 'import',
    limit: 240,
    remaining: 240,
    reset: 3_601,
  })
  expect(fullRateState(defaultLimits, 'status', 1_001)).toMatchObject({ remaining: 3_600, reset: 3_602 })
})
