import { type SimulatedBug, searchMutants } from './search-mutants.ts'
import { watchMutants } from './watch-mutants.ts'
import { wordsMutants } from './words-mutants.ts'

/** Bugs of the protocol of steps. The invariants must find each of them in histories. */
export const mutants: Record<string, SimulatedBug> = {
  'a claim does not look at the number of leases': {
    path: 'worker/account/jobs/steps.ts',
    find: 'attempt !== job.attempt + 1',
    instead: 'false',
  },
  'a report is taken under any lease': {
    path: 'worker/account/account-rows.ts',
    find: `    if (job?.lease !== lease || (job.leaseUntil ?? 0) <= now) return null
    return attempt === undefined || attempt === job.attempt ? job : null`,
    instead:
      '    return job && (job.lease !== null || lease === null || attempt === undefined || now === 0) ? job : null',
  },
  'a lease that expires uses an attempt': {
    path: 'worker/account/jobs/steps.ts',
    find: 'retryOrFail(rows, job, now, { isUsed: false })',
    instead: 'retryOrFail(rows, job, now, { isUsed: true })',
  },
  'an order that did not arrive uses an attempt': {
    path: 'worker/account/jobs/steps.ts',
    find: '{ isUsed: false, isLost: true, dueAt: now }',
    instead: '{ isUsed: true, isLost: true, dueAt: now }',
  },
  'alarms of the next minute are not set': {
    path: 'worker/account/due/scheduler.ts',
    find: 'await this.#ctx.storage.setAlarm(next)',
    instead: 'if (next > Date.now() + 65_000) await this.#ctx.storage.setAlarm(next)',
  },
  'a message that the queue refused is forgotten': {
    path: 'worker/account/due/scheduler.ts',
    find: '      postponeRow(sql, row, Date.now() + backoffMs(attempt, backoff))',
    instead:
      "      if (row.kind === 'step') endRow(sql, row)\n      else postponeRow(sql, row, Date.now() + backoffMs(attempt, backoff))",
  },
  'a step that is not claimed is not sent again': {
    path: 'worker/account/jobs/steps.ts',
    find: '  return Math.min(Date.now() + backoffMs(attempt, RESEND_BACKOFF), deadline)\n',
    instead: '  return deadline\n',
  },
  'a row of what is due is deleted before it is done': {
    path: 'worker/account/due/scheduler.ts',
    find: '    try {\n      const againAt',
    instead: '    endRow(sql, row)\n    try {\n      const againAt',
  },
  'the ceiling of a batch forgets what is held': {
    path: 'worker/account/batches/live-items.ts',
    find: ' - heldByItems(rows, id)',
    instead: '',
  },
  'a canceled item is not counted': {
    path: 'worker/account/batches/item-ends.ts',
    find: "else if (state === 'canceled') batch.skipped += 1",
    instead: "else if (state === 'canceled') batch.skipped += 0",
  },
  'a webhook is not sent again': {
    path: 'worker/account/webhooks/attempts-and-retries.ts',
    find: '  return Date.now() + WEBHOOK_RESEND_MS\n',
    instead: '',
  },
  'a webhook counts as delivered whatever the answer is': {
    path: 'domain/webhooks/retry-schedule.ts',
    find: 'status >= 200 && status < 300',
    instead: 'status >= 200',
  },
  'files of failed attempts stay': {
    path: 'worker/account/stored-files/written-objects.ts',
    find: "  changeMedia(sql, { kind: 'discard', objects: discarded.map",
    instead: "  if (which === 'all') changeMedia(sql, { kind: 'discard', objects: discarded.map",
  },
  'a place stays taken': {
    path: 'domain/fleet/places.ts',
    find: '    if (engine) removePlace(engine, place, now)\n',
    instead: '    if (engine && place.rank !== "batch") removePlace(engine, place, now)\n',
  },
  'a repeated call starts another job': {
    path: 'worker/account/starts/admission.ts',
    find: 'id: id ?? newId(kind, now)',
    instead: 'id: newId(kind, now)',
  },
  'the key of a start is not kept': {
    path: 'worker/account/starts/admission.ts',
    find: '  if (idempotency) saveIdempotency(sql, idempotency, started, now)\n  if (joinKey',
    instead: '  if (joinKey',
  },
  'the hold of a failed job stays': {
    path: 'worker/account/jobs/endings.ts',
    find: '  settle(rows, job, zero, now)\n',
    instead: '',
  },
  'an event has the number of the one before': {
    path: 'worker/account/events/event-rows.ts',
    find: "'SELECT max(number) FROM events'",
    instead: "'SELECT min(number) FROM events'",
  },
  'media stays after its retention': {
    path: 'worker/account/stored-files/retention.ts',
    find: '  discardStored(rows, expired, now, mediaKeysOf)\n',
    instead: '',
  },
  'the limit of concurrent jobs is not checked': {
    path: 'worker/account/starts/admission.ts',
    find: 'if (liveJobs(rows, kind).length < limit) return accepted(null)',
    instead: 'if (liveJobs(rows, kind).length < 10 * limit) return accepted(null)',
  },
  'free work is not limited': {
    path: 'worker/account/requests/free-work.ts',
    find: 'if (again <= now) return accepted(null)',
    instead: 'if (again <= now || requesting.endpoint !== null) return accepted(null)',
  },
  'canceled jobs are not counted as free work': {
    path: 'worker/account/jobs/endings.ts',
    find: '!isOurFault(ending.failure)',
    instead: "!isOurFault(ending.failure) && ending.failure.code !== 'CANCELED'",
  },
  'free work replaces what was counted before': {
    path: 'worker/account/requests/free-work.ts',
    find: 'engineMs: used.engineMs + engineMs',
    instead: 'engineMs',
  },
  'ready uploads are not counted': {
    path: 'worker/account/uploads/upload-rows.ts',
    find: "(state = 'ready' OR state = 'pending' AND",
    instead: "(state = 'pending' AND",
  },
  'speech is decoded as far as the step wants': {
    path: 'container/steps/decode.ts',
    find: 'Math.min(wantedSeconds, agreed.seconds)',
    instead: 'wantedSeconds',
  },
  'speech is decoded although no agreement arrived': {
    path: 'container/steps/progress.ts',
    find: 'if (!isAgreed) void progress.flush()',
    instead: 'if (!isAgreed) void progress.flush().then(() => resolve({ bytes: 0, seconds: 0, changes: 0 }))',
  },
  'an answer to an earlier report is an agreement': {
    path: 'container/steps/progress.ts',
    find: 'agreed.changes >= changes && ',
    instead: '',
  },
  'the end of an engine that drains uses an attempt': {
    path: 'domain/fleet/fleet.ts',
    find: "const hasEngineDied = hasExited && engine.status !== 'draining'",
    instead: "const hasEngineDied = hasExited || engine.status === 'draining'",
  },
  'the silence of an engine uses an attempt': {
    path: 'worker/fleet/engine-watch.ts',
    find: "answer !== 'drained' && (isStopped || isSilenceAnExit)",
    instead: 'true',
  },
  'an upload that its caller leaves stays': {
    path: 'worker/account/uploads/life-of-uploads.ts',
    find: "if (upload.state !== 'removed') remove(rows, upload, now)",
    instead:
      "if (upload.state === 'pending') forgetUpload(rows.sql, id)\n  else if (upload.state !== 'removed') remove(rows, upload, now)",
  },
  'a recognized piece is sent to the provider again': {
    path: 'worker/speech/recognize-slice.ts',
    find: "if (stored?.isRecognized) return { state: 'stored', providerJobId }",
    instead: "if (providerJobId && stored?.isRecognized) return { state: 'stored', providerJobId }",
  },
  'the cron wakes no account': {
    path: 'worker/wake.ts',
    find: 'overdue.flat()',
    instead: '([] as string[])',
  },
  'an import is charged by the prices of its end': {
    path: 'worker/account/jobs/endings.ts',
    find: 'charge: costOfMade(job), keys',
    instead: 'charge: costOfMade({ ...job, prices: acting.rows.prices }), keys',
  },
  'the items of a batch have the prices of their start': {
    path: 'worker/account/batches/start-items.ts',
    find: 'pricesOfJob(batch.request.prices, ',
    instead: 'pricesOfJob(rows.prices, ',
  },
  'the ceiling of an import is forgotten': {
    path: 'domain/money/bill.ts',
    find: 'request.maxCostMicros ?? null',
    instead: "('language' in request ? request.maxCostMicros : null) ?? null",
  },
  'the budget of a key forgets what is held': {
    path: 'worker/account/keys/budgets.ts',
    find: '- heldBy(rows.openJobs(), key.id)',
    instead: '- 0 * heldBy(rows.openJobs(), key.id)',
  },
  'the batch of a removed key has no budget': {
    path: 'worker/account/keys/budgets.ts',
    find: 'if (key.monthlyBudget === null)',
    instead: 'if (key.monthlyBudget === null || key.revokedAt !== null)',
  },
  'free work of limited keys is counted for full ones': {
    path: 'worker/account/jobs/endings.ts',
    find: "poolOf(rows.keys.find(job.keyId)), 'jobs', workOf(job)",
    instead: "'full', 'jobs', workOf(job)",
  },
  'a hold grows whatever the budget of its key': {
    path: 'worker/account/holds-and-ledger.ts',
    find: 'const budget = leftOfBudget(rows, job.keyId, now)',
    instead: 'const budget = Number.POSITIVE_INFINITY',
  },
  'a removed key still starts jobs': {
    path: 'worker/account/keys/key-rows.ts',
    find: 'revokedAt === null && (expiresAt',
    instead: '(expiresAt',
  },
  'what a key has spent is forgotten with the next charge': {
    path: 'worker/account/keys/budgets.ts',
    find: 'account.keySpending.month === month ? account.keySpending.spent : {}',
    instead: '{} as Record<string, Micros>',
  },
  'twice what is held is agreed': {
    path: 'domain/money/bill.ts',
    find: 'const amount = max(zero, minus(upToMaxCost(job, held), costOfMade(job)))',
    instead: 'const amount = sum(held, held)',
  },
  'a batch ends before its last item': {
    path: 'worker/account/jobs/endings.ts',
    find: `  const event = addEvent(sql, \`\${job.kind}.\${ending.state}\`, job.id, now)
  addEventDelivery(rows, event, job.request.webhookUrl, now)
  endItemOfJob(rows, job, now)
`,
    instead: `  endItemOfJob(rows, job, now)
  const event = addEvent(sql, \`\${job.kind}.\${ending.state}\`, job.id, now)
  addEventDelivery(rows, event, job.request.webhookUrl, now)
`,
  },
  'nobody is told what a commit has changed': {
    path: 'worker/account/due/scheduler.ts',
    find: '      this.#afterCommit(now)\n',
    instead: '',
  },
  'nobody is told that a batch has changed': {
    path: 'worker/account/account-rows.ts',
    find: 'batchTable, ({ id }) => this.progress.changed(id))',
    instead: 'batchTable, () => {})',
  },
  'a socket that broke is not opened again': {
    path: 'worker/http/wait-for-account.ts',
    find: '    this.#openAt = Date.now() + jitteredBackoffMs(this.#failures, REOPEN)',
    instead: '    this.#openAt = Number.POSITIVE_INFINITY',
  },
  'events of a minute ago are forgotten': {
    path: 'worker/account/events/event-rows.ts',
    find: 'const KEPT_MS = DAY_MS',
    instead: 'const KEPT_MS = DAY_MS / 1_440',
  },
  'what a failed job has copied stays in the bucket': {
    path: 'worker/bucket/s3/copy-files.ts',
    find: 'if (stored?.jobId === jobId) await bucket.remove(key)',
    instead: 'if (!stored) await bucket.remove(key)',
  },
  ...wordsMutants,
  ...watchMutants,
  ...searchMutants,
}
