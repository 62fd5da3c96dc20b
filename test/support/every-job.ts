import type { JobFilter } from '../../domain/jobs/job-filter.ts'

export const everyJob: JobFilter = {
  kind: null,
  state: null,
  metadata: {},
  createdFrom: null,
  createdBefore: null,
  text: null,
  keyId: null,
}
