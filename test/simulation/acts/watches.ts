import type { FailureCode } from '../../../domain/codes/failures.ts'
import { RECEIVER_URL } from '../actors/receiver.ts'
import type { SourceFacts } from '../actors/sources.ts'
import type { WatchedList } from '../actors/watched-list.ts'
import { listUrl, troubles } from '../actors/watched-lists.ts'
import type { Random } from '../random.ts'
import { sleep } from '../sleep.ts'
import type { Act, Scene } from './act.ts'
import { makeKey, withKey } from './keys.ts'

const MINUTE = 60_000
/** Retried items of a history are tried again before it ends. */
const FAILS_MS = 10 * MINUTE

const failures: FailureCode[] = ['SOURCE_RATE_LIMITED', 'SOURCE_LIVE', 'SOURCE_NOT_FOUND', 'SOURCE_BLOCKED']

const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[random.between(0, items.length - 1)] as Item

/** Most entries are downloaded. Some fail, for ever or for a while, before they have a job or in it. */
const entryFacts =
  (now: number) =>
  (random: Random): Partial<SourceFacts> => ({
    ...(random.chance(0.15) && { fails: oneOf(random, failures) }),
    ...(random.chance(0.1) && { status: 404 }),
    ...(random.chance(0.7) && { failsUntil: now + random.between(1, FAILS_MS) }),
    ...(random.chance(0.3) && { isSizeKnown: false }),
  })

const publish = ({ world, random }: Scene, list: WatchedList, most: number): void => {
  const { now } = world.clock
  list.publish(random.between(1, most), now, entryFacts(now))
}

const filters = [{ title: ['good'] }, { notTitle: ['BAD'] }, { minSeconds: 30 }, { title: ['good'], maxSeconds: 30 }]

/** Few polls come by themselves, because a history ends with days in which nothing else happens. */
const watchOf = ({ random, world, name }: Scene, list: string) => {
  const since = new Date(world.clock.now - random.between(0, 2) * 60 * MINUTE).toISOString()
  const made = random.chance(0.8)
    ? { import: random.chance(0.3) ? { captions: 'all' } : {} }
    : { transcribe: { provider: 'builtin' } }
  return {
    url: listUrl(list),
    everyMinutes: oneOf(random, [15, 60, 1_440, 10_080, 10_080]),
    ...(random.chance(0.85) && made),
    ...(random.chance(0.3) && { since }),
    ...(random.chance(0.3) && { first: random.between(1, 4) }),
    ...(random.chance(0.4) && { filter: oneOf(random, filters) }),
    ...(random.chance(0.4) && { maxNew: random.between(1, 6) }),
    ...(random.chance(0.3) && { maxCostDollarsPerMonth: random.between(1, 40) / 1_000 }),
    ...(random.chance(0.5) && { webhookUrl: RECEIVER_URL }),
    metadata: { act: name },
  }
}

const startWatch = async (scene: Scene, list: string, more: object = {}, key?: string): Promise<string | null> => {
  const { account, name, lists } = scene
  lists.named(list)
  const body = { ...watchOf(scene, list), ...more }
  const own = key === undefined ? {} : withKey(key)
  const answer = await account.ask('POST', '/watches', { body, idempotencyKey: name, ...own })
  if (answer?.status !== 201) return null
  const { watchId } = answer.body.data as unknown as { watchId: string }
  account.watches.push({ id: watchId, list })
  return watchId
}

/** Does something with one of the account's watches, and its list. */
const withWatch =
  (act: (scene: Scene, watchId: string, list: WatchedList) => Promise<unknown>) =>
  async (scene: Scene): Promise<void> => {
    const { account, random, lists } = scene
    const watch = account.watches[random.between(0, Math.max(0, account.watches.length - 1))]
    if (watch) await act(scene, watch.id, lists.named(watch.list))
  }

const poll = (account: Scene['account'], id: string) => account.ask('POST', `/watches/${id}/poll`)

export const watchActs = {
  watch: { weight: 4, run: (scene) => startWatch(scene, `list-${scene.name}`) },
  'watch whose list is followed at once': {
    weight: 2,
    run: async (scene) => {
      const list = `list-${scene.name}`
      const id = await startWatch(scene, list)
      for (let polls = id === null ? 0 : 3; polls > 0; polls--) {
        await sleep(scene.random.between(20_000, 65_000))
        publish(scene, scene.lists.named(list), 4)
        if (id !== null) await poll(scene.account, id)
      }
    },
  },
  'two watches of one list': {
    weight: 1,
    run: async (scene) => {
      await startWatch(scene, `list-${scene.account.id}`)
    },
  },
  'watch on a budget': {
    weight: 1,
    run: async (scene) => {
      const key = await makeKey(scene, {
        dollarsPerMonth: scene.random.between(1, 6) / 100,
        scopes: ['import', 'read'],
      })
      if (key) await startWatch(scene, `list-${scene.name}`, { import: {}, transcribe: undefined }, key.apiKey)
    },
  },
  'watch whose key is removed': {
    weight: 1,
    run: async (scene) => {
      const { account, random, world } = scene
      const key = await makeKey(scene, { scopes: ['import', 'read'] })
      const id =
        key && (await startWatch(scene, `list-${scene.name}`, { import: {}, transcribe: undefined }, key.apiKey))
      if (!key || !id) return
      await sleep(random.between(0, 90_000))
      const answer = await account.ask('DELETE', `/keys/${key.keyId}`)
      if (answer?.status === 204) account.removedKeys.set(key.keyId, world.clock.now)
      await sleep(random.between(0, 30_000))
      if (random.chance(0.5)) await account.ask('PATCH', `/watches/${id}`, { body: { paused: false } })
    },
  },
  'news of a list': { weight: 8, run: withWatch(async (scene, _, list) => publish(scene, list, 3)) },
  'much news of a list': { weight: 2, run: withWatch(async (scene, _, list) => publish(scene, list, 12)) },
  'edits of a list': {
    weight: 3,
    run: withWatch(async ({ random, world }, _, list) => {
      for (let edits = random.between(1, 5); edits > 0; edits--) list.edit(world.clock.now)
    }),
  },
  'a list is rewritten': { weight: 0.5, run: withWatch(async ({ world }, _, list) => list.rewrite(world.clock.now)) },
  'trouble of a list': {
    weight: 3,
    run: withWatch(async ({ random }, _, list) => {
      list.trouble = random.chance(0.1) ? { kind: 'status', status: 410 } : oneOf(random, troubles)
      await sleep(random.between(10_000, 150_000))
      list.trouble = null
    }),
  },
  'poll of a watch': { weight: 8, run: withWatch(({ account }, id) => poll(account, id)) },
  'look at watches': {
    weight: 3,
    run: withWatch(async ({ account, random }, id) => {
      await account.ask('GET', '/watches')
      await account.ask('GET', `/watches/${id}`)
      const states = ['marked', 'waiting', 'running', 'completed', 'failed']
      await account.ask('GET', `/watches/${id}/items${random.chance(0.5) ? `?status=${oneOf(random, states)}` : ''}`)
      await account.ask('GET', `/batches?watchId=${id}`)
    }),
  },
  'pause of a watch': {
    weight: 2,
    run: withWatch(async ({ account, random }, id) => {
      await account.ask('PATCH', `/watches/${id}`, { body: { paused: true } })
      await sleep(random.between(0, 60_000))
      await account.ask('PATCH', `/watches/${id}`, { body: { paused: false } })
    }),
  },
  'change of a watch': {
    weight: 2,
    run: withWatch(async ({ account, random }, id) => {
      const changes = [
        { maxCostDollarsPerMonth: random.between(1, 60) / 1_000 },
        { maxCostDollarsPerMonth: null },
        { maxNew: random.between(1, 9) },
        { filter: oneOf(random, filters) },
        { filter: null },
        { import: null, transcribe: null },
        { import: {} },
        { paused: false },
      ]
      await account.ask('PATCH', `/watches/${id}`, { body: oneOf(random, changes) })
    }),
  },
  'drop of what waits': {
    weight: 1,
    run: withWatch(async ({ account }, id) => {
      account.dropped.add(id)
      await account.ask('PATCH', `/watches/${id}`, { body: { waiting: 'drop' } })
    }),
  },
  'cancel of a batch of a watch': {
    weight: 1,
    run: withWatch(async ({ account }, id) => {
      const answer = await account.ask('GET', `/batches?watchId=${id}`)
      const { batches = [] } = (answer?.body.data ?? {}) as { batches?: { batchId: string }[] }
      if (batches[0]) await account.ask('DELETE', `/batches/${batches[0].batchId}`)
    }),
  },
  'money that runs out and comes back': {
    weight: 1,
    run: async ({ account, random, name, operate }) => {
      await operate('PATCH', `/admin/accounts/${account.id}`, { prices: { downloadPerMegabyte: 50 } })
      await sleep(random.between(10_000, 90_000))
      await operate('PATCH', `/admin/accounts/${account.id}`, { prices: null })
      await operate('POST', `/admin/accounts/${account.id}/credits`, { amountDollars: 1, reference: name })
    },
  },
  'removal of a watch': { weight: 1, run: withWatch(({ account }, id) => account.ask('DELETE', `/watches/${id}`)) },
} satisfies Record<string, Act>
