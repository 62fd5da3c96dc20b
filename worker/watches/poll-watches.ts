import { lanes } from '../../domain/lanes.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import type { MeasureTask, PollReport, PollTask } from '../account/watches/polls.ts'
import { configOf } from '../env.ts'
import { lookUp } from '../fleet/lookups.ts'
import { createOutbound } from '../outbound.ts'
import { askFeed } from './ask-feed.ts'
import { type ListToRead, readList } from './read-list.ts'

/** Feeds of different hosts. Those of one host are asked one after the other. */
const HOSTS_AT_ONCE = 6
const ITEMS_AT_ONCE = 2
const BUSY_MS = MINUTE_MS
const MEASURE_TIMEOUT_MS = 30_000

/** What ends without a report is polled again when the account's claim is over: see account/watches/polls.ts. */
export const pollWatches = async (env: Env, accountId: string): Promise<void> => {
  const account = env.ACCOUNTS.getByName(accountId)
  const { polls, items } = await account.claimPolls()
  const reports: PollReport[] = []
  const byHost = Map.groupBy(polls, ({ feedUrl, url }) => new URL(feedUrl ?? url).host)
  await Promise.all([
    lanes(HOSTS_AT_ONCE, [...byHost.values()], async (tasks) => {
      for (const task of tasks) {
        const report = await poll(env, accountId, task).catch(withoutAnswer('poll', task.watchId))
        if (report) reports.push(report)
      }
    }),
    lanes(ITEMS_AT_ONCE, items, async (item) => {
      await measure(env, accountId, item).catch(withoutAnswer('measure', item.itemId))
    }),
  ])
  if (polls.length > 0) await account.reportPolls(reports)
}

/** The others go on. */
const withoutAnswer =
  (what: string, id: string) =>
  (cause: unknown): null => {
    console.error(what, id, cause)
    return null
  }

/** null: a list was read and reported. */
const poll = async (env: Env, accountId: string, task: PollTask): Promise<PollReport | null> => {
  const { watchId, takenUntil, feedUrl, digest, isConditional } = task
  const about = { watchId, takenUntil }
  if (feedUrl !== null && digest !== null) {
    const answer = await askFeed(createOutbound(configOf(env)), feedUrl, task)
    if (answer.kind === 'unchanged') return { ...about, ...answer, wasConditional: isConditional }
    const mayHaveMoved = feedUrl !== task.url && answer.kind === 'failed' && answer.code === 'SOURCE_NOT_FOUND'
    if (answer.kind === 'failed' && !mayHaveMoved) return { ...about, ...answer }
  }
  if (task.unreadForMs > 0) return { ...about, kind: 'later', delayMs: task.unreadForMs }
  return readAndReport(env, accountId, task)
}

const readAndReport = async (env: Env, accountId: string, task: PollTask): Promise<PollReport | null> => {
  const { watchId, takenUntil, url, feedUrl } = task
  const about = { watchId, takenUntil }
  const wanted = { accountId, watchId, url, feedUrl, withPage: false }
  const answer = await readMoved(env, wanted)
  if (answer.kind === 'busy') return { ...about, kind: 'later', delayMs: BUSY_MS }
  if (answer.kind === 'failed') return { ...about, ...answer }
  const account = env.ACCOUNTS.getByName(accountId)
  const reported = await account.reportList(about, answer.list)
  if (reported !== 'page') return null
  const page = await readList(env, { ...wanted, feedUrl: answer.list.feedUrl, withPage: true })
  // What only the page shows would be lost if the feed alone became known.
  if (page.kind === 'busy') return { ...about, kind: 'later', delayMs: BUSY_MS }
  if (page.kind === 'failed') return { ...about, ...page, isNoList: false }
  await account.reportList(about, { ...page.list, hasPage: false })
  return null
}

/** A page may name another feed by now, if that which it named before is gone. */
const readMoved = async (env: Env, wanted: ListToRead): ReturnType<typeof readList> => {
  const answer = await readList(env, wanted)
  const isGone = answer.kind === 'failed' && ['SOURCE_NOT_FOUND', 'SOURCE_UNSUPPORTED'].includes(answer.code)
  const isNamed = wanted.feedUrl !== null && wanted.feedUrl !== wanted.url
  return isGone && isNamed ? readList(env, { ...wanted, feedUrl: null }) : answer
}

/** Without an answer, its length stays unknown. */
const measure = async (env: Env, accountId: string, { watchId, itemId, url }: MeasureTask): Promise<void> => {
  const answer = await lookUp(
    env,
    'probe',
    { accountId, by: { watchId }, url, timeoutMs: MEASURE_TIMEOUT_MS },
    (engine, order) => engine.probe(order),
  )
  if (answer === 'busy') return
  const seconds = answer.status === 'done' ? answer.source.durationSeconds : null
  await env.ACCOUNTS.getByName(accountId).reportLength(watchId, itemId, seconds)
}
