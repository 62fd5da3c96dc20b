import { identitiesOf } from '../../../domain/watches/identity.ts'
import type { WatchItem } from '../../../domain/watches/watch.ts'
import type { FoundEntry, FoundList } from '../../../worker/account/watches/lists.ts'
import type { PollTask } from '../../../worker/account/watches/polls.ts'
import { type Caller, callApi } from './caller.ts'

export const FEED = 'https://media.example/feed.xml'

/** An entry of a feed: its guid is its name, and it is dated if the test says so. */
export interface FeedEntry {
  name: string
  publishedAt?: number | null
  seconds?: number | null
  url?: string
}

const foundEntry = ({ name, publishedAt = null, seconds = null, url }: FeedEntry): FoundEntry => {
  const about = { url: url ?? `https://media.example/${name}.mp3`, title: name, publishedAt }
  return { ...about, seconds, linked: undefined, identities: identitiesOf({ ...about, guid: name, platformId: null }) }
}

export const listOf = (entries: FeedEntry[], changes: Partial<FoundList> = {}): FoundList => ({
  title: 'A podcast',
  source: 'feed',
  isWhole: true,
  hasPage: false,
  feedUrl: FEED,
  etag: '"1"',
  lastModified: null,
  digest: '0'.repeat(64),
  count: entries.length,
  entries: entries.map(foundEntry),
  ...changes,
})

export const named = (...names: string[]): FeedEntry[] => names.map((name) => ({ name }))

export const startedWatch = async (caller: Caller, body: object = {}): Promise<string> => {
  const response = await caller.post('/watches', { url: FEED, import: {}, ...body })
  if (response.status !== 201) throw new Error(JSON.stringify(response.body))
  return response.body.data.watchId
}

export const readWatch = async (caller: Caller, watchId: string) => (await caller.get(`/watches/${watchId}`)).body.data

/** Oldest first. */
export const itemsOf = async (caller: Caller, watchId: string, query = ''): Promise<WatchItem[]> =>
  (await caller.get(`/watches/${watchId}/items?limit=100&${query}`)).body.data.items.toReversed()

/** `name status` of each item, oldest first. */
export const statesOf = async (caller: Caller, watchId: string): Promise<string[]> =>
  (await itemsOf(caller, watchId)).map((item) => `${item.title} ${(item as unknown as { status: string }).status}`)

export const changeWatch = (caller: Caller, watchId: string, changes: object) =>
  callApi('PATCH', `/watches/${watchId}`, { key: caller.apiKey, body: changes })

export const claimedPoll = async ({ account }: Caller, watchId: string): Promise<PollTask> => {
  const { polls } = await account.claimPolls()
  const task = polls.find((poll) => poll.watchId === watchId)
  if (!task) throw new Error('the watch is not due')
  return task
}

/** The Worker that polls has read this list. */
export const polled = async (caller: Caller, watchId: string, list: FoundList) => {
  const task = await claimedPoll(caller, watchId)
  return caller.account.reportList(task, list)
}
