import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import cost from '../../../docs/cost.md?raw'
import { HOUR_MS } from '../../../domain/time.ts'
import { consumeSteps } from '../../../worker/steps/consume-steps.ts'
import { newCaller } from '../support/caller.ts'
import { runAlarm, skip } from '../support/clock.ts'
import { countUse, sumOf } from '../support/counts.ts'
import { rowsOf } from '../support/tables.ts'
import { startedWatch } from '../support/watches.ts'

const WATCHES = 100
const HOURS = 8

/** Of the table in docs/cost.md. */
const documented = Number(/10,000 hourly watches without news.*\| \$([\d.]+) a month/.exec(cost)?.[1])

test('10,000 hourly watches without news, in 100 accounts, cost what docs/cost.md says', async () => {
  const caller = await newCaller()
  const { accountId, account } = caller
  for (let watches = 0; watches < WATCHES; watches++) {
    const url = `https://feeds.example/${crypto.randomUUID()}`
    await fetch(url, { method: 'POST', body: JSON.stringify({ headers: { etag: '"1"' } }) })
    await startedWatch(caller, { url, import: undefined })
  }
  const dueAt = async () => (await rowsOf(account, 'due')).find(({ kind }) => kind === 'polls')?.at as number
  const pollRound = async (): Promise<void> => {
    const ctx = createExecutionContext()
    const message = { body: { v: 1, accountId, polls: true }, attempts: 1, ack: () => {}, retry: () => {} }
    await consumeSteps({ messages: [message] } as never, env, ctx)
    await waitOnExecutionContext(ctx)
  }
  await pollRound()
  await pollRound()
  // The alarm sends a message for each round, and the queue's consumer gets it.
  const oneRound = async (): Promise<void> => {
    skip(Math.max(0, (await dueAt()) - Date.now()))
    await runAlarm(account)
    await pollRound()
  }
  const until = Date.now() + HOURS * HOUR_MS
  const counts = await countUse(caller)
  let rounds = 0
  for (; Date.now() < until; rounds++) await oneRound()
  const monthly = (100 * 24 * 30) / HOURS / 1_000_000
  const pieces = {
    rows: counts.objectRows,
    requests: sumOf(counts.objectRequests),
    queue: 3 * counts.queueMessages,
    worker: rounds,
  }
  // A poll takes about a millisecond of the Worker's time, at $0.02 for a million.
  const cpu = WATCHES * HOURS * 0.02
  const dollars = (pieces.rows + 0.15 * pieces.requests + 0.4 * pieces.queue + 0.3 * pieces.worker + cpu) * monthly
  console.info(
    `${WATCHES} watches in ${HOURS} hours:`,
    JSON.stringify({ rounds, ...pieces, dollars }),
    counts.objectRequests,
  )
  expect(counts.queueMessages).toBe(rounds)
  expect(dollars).toBeLessThanOrEqual(documented)
  expect(documented).toBeLessThanOrEqual(5)
})
