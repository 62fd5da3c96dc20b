import type { PlantedBug } from '../planted-bugs/planted-bug.ts'

/** Bugs of imports that make more than their media. */
export const wordsMutants: Record<string, PlantedBug> = {
  'speech that fails ends its import': {
    path: 'worker/account/jobs/endings.ts',
    find: '? endSpeech(acting, job, outcomeOf(reason))',
    instead: '? failJob(acting, job, reason)',
  },
  'an import that is canceled in its speech goes on': {
    path: 'worker/account/jobs/endings.ts',
    find: "isOfSpeech(job.step) && reason.code !== 'CANCELED'",
    instead: 'isOfSpeech(job.step)',
  },
  'an import whose speech has failed is not copied': {
    path: 'worker/account/jobs/endings.ts',
    find: "{ kind: 'transcript', ...outcome }]\n  deliverOrComplete(acting, job)",
    instead: "{ kind: 'transcript', ...outcome }]\n  completeMade(acting, job, null)",
  },
  'speech that has failed is charged': {
    path: 'worker/account/jobs/endings.ts',
    find: 'charge: costOfMade(job), keys: keysOfMade(job)',
    instead: 'charge: job.held ?? costOfMade(job), keys: keysOfMade(job)',
  },
  'speech is charged before it is a part': {
    path: 'worker/account/jobs/step-results.ts',
    find: `  job.parts = [...(job.parts ?? []), ...captions, transcript]
  return deliverOrComplete(acting, job, about)`,
    instead: `  const isDone = deliverOrComplete(acting, job, about)
  job.parts = [...(job.parts ?? []), ...captions, transcript]
  return isDone`,
  },
  'captions are charged for each track': {
    path: 'worker/account/jobs/caption-parts.ts',
    find: 'return part === first ? { ...part, costMicros: captions } : part',
    instead: 'return { ...part, costMicros: captions }',
  },
  'captions for which there is no money are free': {
    path: 'worker/account/jobs/caption-parts.ts',
    find: 'if (!reason) return part === first ? { ...part, costMicros: captions } : part',
    instead: 'return part === first && !reason ? { ...part, costMicros: captions } : part',
  },
  'words are not kept for the next step': {
    path: 'worker/account/jobs/made.ts',
    find: '  ...wordsKeysOf(job),\n',
    instead: '',
  },
  'speech is recognized although captions are the transcript': {
    path: 'worker/account/jobs/import-results.ts',
    find: 'transcribe && !hasTranscript(job) ?',
    instead: 'transcribe ?',
  },
  'speech has all the time of its job': {
    path: 'worker/account/jobs/job-rows.ts',
    find: 'isOfSpeech(step) ? DELIVERY_MS : 0',
    instead: 'isOfSpeech(step) ? 0 : 0',
  },
  'the agreement for speech forgets what is made': {
    path: 'domain/money/bill.ts',
    find: 'minus(upToMaxCost(job, held), sum(done, download))',
    instead: 'minus(upToMaxCost(job, held), download)',
  },
  'speech is read from the origin': {
    path: 'domain/jobs/job.ts',
    find: 'const source = { url: null, importId: job.id, uploadId: null, clip: null }',
    instead: 'const source = { url: request.url, importId: job.id, uploadId: null, clip: null }',
  },
  'the words of removed files stay': {
    path: 'worker/account/jobs/endings.ts',
    find: 'discardStored(rows, [job], now)\n  job.removedAt ??= now',
    instead: 'discardStored(rows, [{ ...job, parts: [] }], now)\n  job.removedAt ??= now',
  },
  'words are removed with their media': {
    path: 'worker/account/stored-files/retention.ts',
    find: 'discardStored(rows, expired, now, mediaKeysOf)',
    instead: 'discardStored(rows, expired, now)',
  },
  'two items of a batch have one key in the bucket': {
    path: 'worker/account/jobs/bucket-keys.ts',
    find: 'return place ? ownKey(rows.sql, place, key, values) : key',
    instead: 'return key',
  },
  'an item is complete although a file of its job has failed': {
    path: 'worker/account/batches/item-ends.ts',
    find: 'isComplete: result && isComplete(parts)',
    instead: 'isComplete: result && isComplete([])',
  },
}
