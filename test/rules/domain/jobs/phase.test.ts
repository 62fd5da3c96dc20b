import { expect, test } from 'vitest'
import type { JobState } from '../../../../domain/jobs/job.ts'
import { phaseOf } from '../../../../domain/jobs/job-status.ts'
import type { Step } from '../../../../domain/jobs/transcript.ts'

test.each<[JobState, Step | null, string | undefined]>([
  ['queued', 'fetch', 'waiting'],
  ['queued', 'captions', 'waiting'],
  ['running', 'fetch', 'running'],
  ['running', 'recognize', 'running'],
  ['running', 'deliver', 'delivering'],
  ['completed', null, undefined],
  ['failed', 'deliver', undefined],
])('a job that is %s, with the step %s, has the phase %s', (state, step, phase) =>
  expect(phaseOf({ state, step })).toEqual(phase === undefined ? {} : { phase }),
)
