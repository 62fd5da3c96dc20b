import type { PlantedBug } from '../planted-bugs/planted-bug.ts'

/** Bugs of watches. Those of what is new in a list are in test/planted-bugs/watches.ts. */
export const watchMutants: Record<string, PlantedBug> = {
  'a list is stored as read without its items': {
    path: 'worker/account/watches/lists.ts',
    find: '    addNews(rows, watch, news, now)\n',
    instead: '',
  },
  'identities of items are not kept': {
    path: 'worker/account/watches/item-rows.ts',
    find: "FROM json_each(?) AS item, json_each(item.value, '$.identities') AS identity`",
    instead: "FROM json_each(?) AS item, json_each(item.value, '$.identities') AS identity WHERE 0`",
  },
  'what was there before is taken': {
    path: 'worker/account/watches/lists.ts',
    find: "index < marked.length ? 'marked' : passageOf",
    instead: "index < 0 ? 'marked' : passageOf",
  },
  'the page of a platform is not read although its feed shows nothing known': {
    path: 'worker/account/watches/lists.ts',
    find: "if (hasPage && !isFirst && !news.isFamiliar && entries.length > 0) return 'page'\n",
    instead: '',
  },
  'a feed becomes known although its page could not be read': {
    path: 'worker/watches/poll-watches.ts',
    find: `  if (page.kind === 'busy') return { ...about, kind: 'later', delayMs: BUSY_MS }
  if (page.kind === 'failed') return { ...about, ...page, isNoList: false }
  await account.reportList(about, { ...page.list, hasPage: false })`,
    instead: `  const read = page.kind === 'list' ? page.list : answer.list
  await account.reportList(about, { ...read, hasPage: false })`,
  },
  'an item is told again at the end of a pause': {
    path: 'worker/account/watches/lists.ts',
    find: 'isTold: !isHeld })',
    instead: 'isTold: false })',
  },
  'an item is told before its length is known': {
    path: 'worker/account/watches/lists.ts',
    find: "if (state === 'waiting') letPass",
    instead: "if (state === 'waiting' || state === 'unmeasured') letPass",
  },
  'lengths are never asked for again': {
    path: 'worker/account/watches/polls.ts',
    find: '  if (unmeasuredAt !== null) times.push(unmeasuredAt)\n',
    instead: '',
  },
  'what a watch has spent is not noted': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: '  noteSpending(watch, end.cost ?? zero, now)\n',
    instead: '',
  },
  'the ceiling of a month is that of a batch': {
    path: 'worker/account/watches/open-watches.ts',
    find: 'maxCostMicros - spentThisMonth(watch, now)',
    instead: 'maxCostMicros',
  },
  'an item that was skipped stays in its batch': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: 'changeItem(rows.sql, item, { batchId: null, code, ',
    instead: 'changeItem(rows.sql, item, { code, ',
  },
  'what waits for money is lost': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: "...(isShort ? {} : { state: 'failed' })",
    instead: "state: 'failed'",
  },
  'a job that ends for want of money ends its item': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: "const short = state === 'failed' ? shortageOf(watch, batch, code) : null",
    instead: "const short = state === 'waiting' ? shortageOf(watch, batch, code) : null",
  },
  'what fails for a while is not tried again': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: "(end.retryable || code === 'SOURCE_LIVE') ? retryOf",
    instead: "code === 'SOURCE_LIVE' ? retryOf",
  },
  'a batch that has ended stays open for its watch': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: '  watch.batchId = null\n',
    instead: '',
  },
  'a watch has several batches at once': {
    path: 'worker/account/watches/watch-batches.ts',
    find: 'if (watch.batchId !== null || !watch',
    instead: 'if (!watch',
  },
  'a watch is not looked at when its batch has ended': {
    path: 'worker/account/watches/ends-of-items.ts',
    find: "  schedule(rows.sql, 'watch', watch.id, now)\n",
    instead: '',
  },
  'a resumed watch does not take what waits': {
    path: 'worker/account/watches/pauses.ts',
    find: "  watch.pause = null\n  schedule(rows.sql, 'watch', watch.id, now)\n",
    instead: '  watch.pause = null\n',
  },
}
