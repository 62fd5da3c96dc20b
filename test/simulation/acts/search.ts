import { RECEIVER_URL } from '../actors/receiver.ts'
import { sourceUrl } from '../actors/sources.ts'
import type { Random } from '../random.ts'
import { sleep } from '../sleep.ts'
import type { Act, Scene } from './act.ts'
import { makeKey, withKey } from './keys.ts'

const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[random.between(0, items.length - 1)] as Item

/** Words of simulated transcripts and titles. */
const queries = [
  'simulated',
  'words part',
  '"words of part 1"',
  'simul*',
  'film',
  'part -12',
  'SIMULÀTED film',
  'nothing',
]

interface Page {
  results: { jobId: string }[]
  nextCursor: string | null
}

type Key = { keyId: string; apiKey: string }

/** Reads some pages, and notes what they show. */
const search = async (scene: Scene, key: Key | null = null, jobId = jobToFind(scene)): Promise<void> => {
  const { account, random, world } = scene
  const q = jobId === null ? oneOf(random, queries) : 'words'
  const query = new URLSearchParams({ q, sort: oneOf(random, ['relevance', 'newest']) })
  query.set('limit', `${oneOf(random, [1, 5, 50])}`)
  if (jobId !== null) query.set('jobId', jobId)
  for (let pages = random.between(1, 3); pages > 0; pages--) {
    const sentAt = world.clock.now
    const answer = await account.ask('GET', `/search?${query}`, key ? withKey(key.apiKey) : {})
    if (answer?.status !== 200) return
    const { results, nextCursor } = answer.body.data as unknown as Page
    const jobIds = [...new Set(results.map((result) => result.jobId))]
    account.searches.push({ sentAt, answeredAt: world.clock.now, keyId: key?.keyId ?? null, jobIds })
    if (nextCursor === null) return
    query.set('cursor', nextCursor)
  }
}

const jobToFind = ({ account, random }: Scene): string | null =>
  random.chance(0.1) ? (account.jobs.at(-1)?.id ?? null) : null

/** Its captions, or its speech, are short. */
const startWithWords = async (scene: Scene, more: object = {}, key: string | null = null): Promise<string | null> => {
  const { account, random, name } = scene
  const facts = { bytes: 200_000, workMs: random.between(500, 12_000), seconds: random.between(5, 300), captions: 'en' }
  const body = { url: sourceUrl(name, facts), ...(random.chance(0.5) && { webhookUrl: RECEIVER_URL }), ...more }
  const isImport = random.chance(0.5)
  const request = isImport ? { ...body, captions: 'all' } : body
  const path = isImport ? '/import' : '/transcribe'
  if (key === null) return account.start(path, request)
  const answer = await account.ask('POST', path, { body: request, ...withKey(key) })
  return answer?.status === 202 ? (answer.body.data as unknown as { jobId: string }).jobId : null
}

const startSome = (scene: Scene): Promise<(string | null)[]> =>
  Promise.all([1, 2, 3, 4].map((number) => startWithWords({ ...scene, name: `${scene.name}-${number}` })))

const hasRow = ({ account, world }: Scene, query: string, value: string): boolean =>
  world.namespaces.ACCOUNTS.storage(account.id)?.sqlDatabase.exec(query, value).toArray().length === 1

const untilCompleted = async (scene: Scene, id: string): Promise<void> => {
  const query = 'SELECT 1 FROM jobs WHERE id = ? AND completed_at IS NOT NULL'
  for (let looks = 0; looks < 120 && !hasRow(scene, query, id); looks++) await sleep(1_000)
}

/** The first of those to which a rebuild has not come yet. */
const jobsToBringBack = ({ account, world }: Scene): string[] => {
  const query = `SELECT id FROM jobs WHERE state = 'completed' AND id > (SELECT search ->> 'rebuiltTo' FROM account)
    ORDER BY id LIMIT 8`
  const rows = world.namespaces.ACCOUNTS.storage(account.id)?.sqlDatabase.exec(query).toArray() ?? []
  return rows.map(({ id }) => `${id}`)
}

const areWordsSent = (scene: Scene, id: string): boolean =>
  hasRow(scene, "SELECT 1 FROM due WHERE ref = 'words ' || ?", id)

const rebuild = async ({ account, world }: Scene): Promise<void> => {
  const sentAt = world.clock.now
  const answer = await account.ask('POST', '/search/rebuild')
  if (answer?.status === 202) account.rebuiltAt.push(sentAt)
}

const rebuildAsOperator = async ({ account, world, operate }: Scene): Promise<void> => {
  // An operator repeats what has not been answered.
  for (let tries = 0; tries < 20; tries++) {
    const sentAt = world.clock.now
    const { status } = await operate('POST', `/admin/accounts/${account.id}/search/rebuild`)
    if (status === 202) account.rebuiltAt.push(sentAt)
    if (status === 202 || status === 409) return
    await sleep(2_000)
  }
}

const loseIndex = ({ account, world }: Scene): void => {
  world.namespaces.WORDS.storage(account.id)?.deleteAll()
  world.namespaces.WORDS.kill(account.id)
  account.indexLostAt = world.clock.now
}

const turn = ({ account }: Scene, index: boolean) => account.ask('PATCH', '/account', { body: { index } })

/** At about the moment in which the account tells it what has changed. */
const restartIndex = async ({ account, random, world }: Scene): Promise<void> => {
  if (!random.chance(0.4)) return
  await sleep(random.between(3, 20))
  world.namespaces.WORDS.kill(account.id)
}

/** A caller who is in a hurry, or one who comes back later. */
const hesitate = ({ random }: Scene): Promise<void> => sleep(random.chance(0.5) ? 0 : random.between(0, 60_000))

/** Acts with the index of what was said. */
export const searchActs = {
  search: { weight: 10, run: (scene) => search(scene) },
  'start with words': { weight: 6, run: (scene) => startWithWords(scene) },
  'search with a key that sees its own jobs only': {
    weight: 2,
    run: async (scene) => {
      const key = await makeKey(scene, { scopes: ['import', 'transcribe'] })
      const id = key && (await startWithWords(scene, {}, key.apiKey))
      if (!id) return
      await untilCompleted(scene, id)
      await sleep(scene.random.between(0, 10_000))
      await search(scene, key)
    },
  },
  'removal of words': {
    weight: 4,
    run: async (scene) => {
      const { account, random } = scene
      const id = random.chance(0.3) ? oneOf(random, account.jobs)?.id : await startWithWords(scene)
      if (!id) return
      await untilCompleted(scene, id)
      const areSent = areWordsSent(scene, id)
      if (!areSent) await sleep(random.between(0, 30_000))
      // A deploy: what it has sent goes on without it.
      if (random.chance(areSent ? 0.7 : 0.1)) scene.world.namespaces.ACCOUNTS.kill(account.id)
      const answer = account.ask('DELETE', `/jobs/${id}`)
      await restartIndex(scene)
      await answer
      await search(scene, null, id)
    },
  },
  'start with words that are not to be found': {
    weight: 2,
    run: (scene) => startWithWords(scene, { index: false }),
  },
  'batch whose words are not to be found': {
    weight: 0.5,
    run: ({ account, random, name }) => {
      const urls = Array.from({ length: 2 }, (_, index) =>
        sourceUrl(`${name}-${index}`, { bytes: 200_000, seconds: random.between(5, 100), captions: 'en' }),
      )
      return account.start('/batches', { urls, transcribe: { index: false }, webhookUrl: RECEIVER_URL })
    },
  },
  'indexing is turned off for a while': {
    weight: 2,
    run: async (scene) => {
      await turn(scene, false)
      await hesitate(scene)
      await search(scene)
      await turn(scene, true)
      await hesitate(scene)
      if (scene.random.chance(0.7)) await rebuild(scene)
    },
  },
  'indexing is turned off and on while jobs end': {
    weight: 2,
    run: async (scene) => {
      await startSome(scene)
      await sleep(scene.random.between(0, 12_000))
      await turn(scene, false)
      await turn(scene, true)
    },
  },
  'indexing is turned off and on during a rebuild': {
    weight: 1,
    run: async (scene) => {
      for (const id of await startSome(scene)) if (id !== null) await untilCompleted(scene, id)
      for (let rounds = 3; rounds > 0; rounds--) {
        await rebuild(scene)
        await sleep(scene.random.chance(0.5) ? 0 : scene.random.between(0, 60))
        // Nobody waits for an answer.
        const answers = [turn(scene, false)]
        await sleep(scene.random.between(0, 10))
        answers.push(turn(scene, true))
        await sleep(scene.random.between(0, 10))
        await Promise.all([...answers, rebuild(scene)])
        await sleep(scene.random.between(0, 1_000))
      }
    },
  },
  'indexing is turned off': { weight: 0.3, run: (scene) => turn(scene, false) },
  'indexing is turned on': { weight: 1, run: (scene) => turn(scene, true) },
  rebuild: { weight: 1, run: rebuild },
  'rebuild that is asked for again': {
    weight: 1,
    run: async (scene) => {
      for (let times = 3; times > 0; times--) {
        await rebuild(scene)
        await hesitate(scene)
      }
    },
  },
  'rebuild by an operator': { weight: 1, run: rebuildAsOperator },
  'loss of an index, and its rebuild': {
    weight: 0.5,
    run: async (scene) => {
      loseIndex(scene)
      await hesitate(scene)
      await rebuildAsOperator(scene)
    },
  },
  'removal of words during a slow rebuild': {
    weight: 1.5,
    run: async (scene) => {
      const { account, world } = scene
      for (const id of await startSome(scene)) if (id !== null) await untilCompleted(scene, id)
      loseIndex(scene)
      await rebuildAsOperator(scene)
      await sleep(1_000)
      const ids = jobsToBringBack(scene)
      // What the account has asked for goes on without it.
      if (ids.length > 0) world.namespaces.ACCOUNTS.kill(account.id)
      await Promise.all(ids.map((id) => account.ask('DELETE', `/jobs/${id}`)))
    },
  },
} satisfies Record<string, Act>
