import { z } from 'zod'
import { dollars } from '../../../domain/money/price-text.ts'
import {
  isPauseOfMoney,
  watchItemStates,
  type watchItemStatus,
  watchStates,
  type watchStatus,
} from '../../../domain/watches/watch.ts'
import { type Answer, durationText, outputOf, quotedTitle, shortTitle, visible } from './answer.ts'

export type WatchView = ReturnType<typeof watchStatus>
type ItemView = ReturnType<typeof watchItemStatus>

const Watch = {
  watch_id: z.string(),
  url: z.string(),
  title: z.string().describe('Quoted from the source.'),
  status: z.enum(watchStates),
  code: z.string().describe('Why it is paused, or why the list could not be read.'),
  next_poll_at: z.string(),
  waiting: z.number().describe('Items that wait for a job.'),
  spent_this_month_dollars: z.number(),
  max_cost_dollars_per_month: z.number(),
}

const Item = z
  .object({
    url: z.string(),
    title: z.string(),
    published_at: z.string(),
    duration_seconds: z.number(),
    status: z.enum(watchItemStates).describe('marked: old. filtered: left out. told: only listed.'),
    job_id: z.string().describe('For read_transcript and check_job.'),
    code: z.string().describe('Why it has failed, or waits.'),
    cost_dollars: z.number(),
  })
  .partial()

export const WatchOutput = outputOf({
  ...Watch,
  is_earlier_watch: z.boolean().describe('It followed this url already, so none was started.'),
  next: z.string().describe('What to do about its code.'),
  items: z.array(Item).describe('The newest ones. Quoted from the source.'),
  watches: z.array(z.object(Watch).partial()).describe('All of them, newest first.'),
})

export const startedAnswer = (started: { watchId: string; message: string }, url: string): Answer => ({
  lines: [
    started.message,
    `Call watch with watch_id "${started.watchId}" later to see what it has found, or with action "remove" to end it.`,
  ],
  data: { watch_id: started.watchId, url, status: 'starting', is_earlier_watch: false },
})

export const earlierAnswer = (watch: WatchView): Answer => ({
  lines: [
    `This url has a watch already (${watch.watchId}), so none was started, and that one is as it was started.`,
    ...linesOf(watch),
    `To follow the url otherwise, call watch with watch_id "${watch.watchId}" and action "remove" first.`,
  ],
  data: { ...dataOf(watch), is_earlier_watch: true },
})

export const watchAnswer = (watch: WatchView, items: ItemView[]): Answer => ({
  lines: [
    ...linesOf(watch),
    items.length === 0 ? 'It has no items yet.' : `Its ${items.length} newest items are below, the newest first.`,
  ],
  data: { ...dataOf(watch), items: items.map(itemData) },
  ...(items.length > 0 && { quoted: { what: 'the list of items', text: items.map(itemLine).join('\n') } }),
})

export const listAnswer = (watches: WatchView[]): Answer => ({
  lines: watches.length === 0 ? ['There are no watches.'] : watches.flatMap(linesOf),
  data: { watches: watches.map(dataOf) },
})

const linesOf = (watch: WatchView): string[] => {
  const { watchId, title, url, status, code, message, waiting } = watch
  const spent = `${dollars(watch.spentThisMonthDollars)}${ceilingOf(watch)}`
  const name = title === null ? visible(url) : `${quotedTitle(title)} (title from the source)`
  return [
    `Watch ${watchId} of ${name} is ${status}.`,
    code === null ? '' : `${messages[code] ?? visible(message ?? '')} (${code})`.trim(),
    nextOf(watch),
    `${waiting} items wait for a job. Its jobs have cost ${spent} in this month (of UTC).`,
  ]
}

/** Where the message of the API names its own fields. */
const messages: Record<string, string> = {
  TOO_MANY_NEW: 'More items are new at once than a watch takes by itself.',
  MAX_COST_EXCEEDED: 'The watch has reached its max_cost_dollars_per_month.',
  KEY_REMOVED: 'The API key of the watch was removed.',
}

const ceilingOf = ({ maxCostDollarsPerMonth: ceiling }: WatchView): string =>
  ceiling === null ? '' : ` of at most ${dollars(ceiling)}`

const nextOf = (watch: WatchView): string => {
  const { status, nextPollAt } = watch
  if (status === 'paused') return stepAfter(watch)
  const again = nextPollAt === null ? '' : `The list is read again by ${nextPollAt}.`
  return status === 'failing' ? `${again} If that does not help, ask the user for another url.`.trim() : again
}

const stepAfter = ({ code, resetsAt }: WatchView): string => {
  if (code === null) return 'Call watch with action "resume" to end the pause.'
  if (isPauseOfMoney(code)) return moneySteps[code](resetsAt)
  return steps[code] ?? ''
}

const moneySteps = {
  MAX_COST_EXCEEDED: (resetsAt: string) =>
    `What waits is taken from ${resetsAt} on. The user can raise maxCostDollarsPerMonth with PATCH /watches/{id}.`,
  INSUFFICIENT_BALANCE: () => 'Tell the user to add credit. Then the watch goes on by itself.',
  KEY_BUDGET_EXCEEDED: () =>
    'Tell the user that the monthly budget of the API key is used up. The watch goes on by itself with the next one.',
}

const gone = 'Ask the user for another URL of this list, or call watch with action "remove".'
const steps: Record<string, string> = {
  TOO_MANY_NEW: 'Ask the user: call watch with action "resume" to take all of them, or "drop" to leave them out.',
  KEY_REMOVED: 'Call watch with action "resume": it then uses the API key of this server.',
  SOURCE_GONE: gone,
  SOURCE_FAILED: gone,
}

const dataOf = (watch: WatchView) => ({
  watch_id: watch.watchId,
  url: watch.url,
  title: watch.title && shortTitle(watch.title),
  status: watch.status,
  code: watch.code,
  next: watch.code && nextOf(watch),
  next_poll_at: watch.nextPollAt,
  waiting: watch.waiting,
  spent_this_month_dollars: watch.spentThisMonthDollars,
  max_cost_dollars_per_month: watch.maxCostDollarsPerMonth,
})

const itemData = (item: ItemView) => ({
  url: item.url,
  title: item.title && shortTitle(item.title),
  published_at: item.publishedAt,
  duration_seconds: item.seconds,
  status: item.status,
  job_id: item.jobId,
  code: item.code,
  cost_dollars: item.costInDollars,
})

const itemLine = ({ url, title, publishedAt, seconds, status, jobId, code, costInDollars }: ItemView): string =>
  [
    publishedAt,
    status,
    jobId,
    code,
    costInDollars === null ? '' : dollars(costInDollars),
    url,
    title && quotedTitle(title),
    seconds === null ? '' : durationText(seconds),
  ]
    .filter(Boolean)
    .join(' ')
