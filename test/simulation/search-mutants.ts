import type { PlantedBug } from '../planted-bugs/planted-bug.ts'
import type { FaultClass } from './faults/fault-classes.ts'

export interface SimulatedBug extends PlantedBug {
  /** It is looked for with these faults alone, because all of them at once hide it for many histories. */
  faults?: FaultClass[]
}

/** Bugs of the index of words. What a search shows is checked twice, so a bug in one place alone shows nothing wrong. */
export const searchMutants: Record<string, SimulatedBug> = {
  'the end of a job is not told to the index': {
    path: 'worker/account/jobs/endings.ts',
    find: '  indexEnd(rows, job, now)\n',
    instead: '',
  },
  'the removal of words is not made due': {
    path: 'worker/account/jobs/endings.ts',
    find: '  if (hasWordsToFind(job)) updateIndex(rows, jobId, now)\n',
    instead: '',
  },
  'a job that is read in part counts as whole': {
    path: 'worker/search/words-object.ts',
    find: 'passages: 0, isWhole: false }',
    instead: 'passages: 0, isWhole: true }',
  },
  'a job that is removed in part is forgotten': {
    path: 'worker/search/index-rows.ts',
    find: 'return removed.length < REMOVED_AT_ONCE',
    instead: 'return removed.length <= REMOVED_AT_ONCE',
  },
  'an update that was overtaken goes on': {
    faults: ['database slow'],
    path: 'worker/search/words-object.ts',
    find: 'this.#runs.get(jobId) === run',
    instead: 'jobId !== ""',
  },
  'what is in the index is not removed from it': {
    path: 'worker/search/words-object.ts',
    find: 'if (known && !(await',
    instead: 'if (known && !known.isWhole && !(await',
  },
  'jobs of one second have the same numbers': {
    path: 'worker/search/index-rows.ts',
    find: 'if (!next || next.low > low + count - 1)',
    instead: 'if (!next || next.top > 0)',
  },
  'an index that is turned off is not emptied': {
    path: 'worker/account/search/index-work.ts',
    find: 'isOff: true, isToEmpty: true }',
    instead: 'isOff: true, isToEmpty: false }',
  },
  'an index that was turned off is not emptied before words come back': {
    faults: ['index fails'],
    path: 'worker/account/search/index-work.ts',
    find: 'if (rows.account.search.isToEmpty) {',
    instead: 'if (rows.account.search.isToEmpty && ref === ALL) {',
  },
  'a rebuild ends with its first jobs': {
    path: 'worker/account/search/index-work.ts',
    find: 'rebuiltTo: jobs.at(-1)?.id ?? null }',
    instead: 'rebuiltTo: null }',
  },
  'a rebuild that was begun again goes on where it was': {
    path: 'worker/account/search/index-work.ts',
    find: '    if (search.rebuiltTo !== after || search.isToEmpty) return now\n',
    instead: '',
  },
  'a rebuild goes on although the index was emptied and a new one began': {
    faults: ['call slow'],
    path: 'worker/account/search/index-work.ts',
    find: 'search.rebuiltTo !== after || search.isToEmpty',
    instead: 'search.rebuiltTo !== after',
  },
  'what was removed is shown until the index knows it': {
    path: 'worker/account/search/words-to-find.ts',
    find: '  const job = findable(rows, id)\n  if (!job || !maySee',
    instead: '  const job = readJob(rows.sql, id)\n  if (!job || !maySee',
  },
}
