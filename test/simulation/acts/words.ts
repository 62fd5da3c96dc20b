import { DELIVERY_MS, JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import { bucketSettings } from '../actors/callers-bucket.ts'
import { RECEIVER_URL } from '../actors/receiver.ts'
import { type SourceFacts, sourceUrl } from '../actors/sources.ts'
import { PROVIDER_KEY, providerSlots, REJECTED_KEY } from '../actors/speech-providers.ts'
import type { Random } from '../random.ts'
import { sleep } from '../sleep.ts'
import type { Act, Scene } from './act.ts'
import { makeKey, withKey } from './keys.ts'

const languages = ['en', 'de', 'zh-Hant', 'fr']
const unreadable = ['SOURCE_RATE_LIMITED', 'SOURCE_UNREACHABLE', 'TIMED_OUT']

const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[random.between(0, items.length - 1)] as Item

const someOf = <Item>(random: Random, items: readonly Item[], share: number): Item[] =>
  items.filter(() => random.chance(share))

const tracks = (random: Random): string =>
  someOf(random, languages, 0.4)
    .map((language) => (random.chance(0.25) ? `${language}:${oneOf(random, unreadable)}` : language))
    .join(',')

const filmWithWords = ({ random, name }: Scene, facts: Partial<SourceFacts> = {}, part = ''): string =>
  sourceUrl(`${name}${part}`, {
    bytes: random.between(100_000, 2_000_000),
    workMs: random.between(500, 8_000),
    seconds: random.between(5, 600),
    lasts: random.chance(0.15) ? random.between(2, 10) : 1,
    captions: tracks(random),
    hasAudio: random.chance(0.9),
    isSilent: random.chance(0.1),
    isSizeKnown: random.chance(0.8),
    ...facts,
  })

const transcripts = (random: Random): object[] => [
  {},
  { mode: 'auto' },
  { mode: 'speech' },
  { mode: 'speech', speakers: true },
  { provider: oneOf(random, providerSlots), apiKey: random.chance(0.7) ? PROVIDER_KEY : REJECTED_KEY },
]

/** What an import is asked for beside its media. */
const words = (random: Random) => {
  const some = someOf(random, languages, 0.5)
  const captions = random.chance(0.2) || some.length === 0 ? 'all' : some
  const files = someOf(random, ['thumbnail', 'info', 'chapters'], 0.5)
  return {
    ...(random.chance(0.6) && { captions }),
    ...(files.length > 0 && { files }),
    ...(random.chance(0.8) && { transcribe: oneOf(random, transcripts(random)) }),
  }
}

/** Some are copied into the caller's bucket. */
const storing = async ({ account, random, name }: Scene) => {
  if (!random.chance(0.25)) return {}
  await account.ask('PUT', '/storage', { body: bucketSettings })
  return { store: true, storagePath: name }
}

const webhook = ({ random }: Scene) => (random.chance(0.5) ? { webhookUrl: RECEIVER_URL } : {})

const startWithWords = async (scene: Scene, more: object = {}, facts: Partial<SourceFacts> = {}) => {
  const body = { url: filmWithWords(scene, facts), ...words(scene.random), ...webhook(scene), ...more }
  return scene.account.start('/import', { ...body, ...(await storing(scene)) })
}

const anyImport = ({ account, random }: Scene): string | undefined => {
  const imports = account.jobs.filter(({ kind }) => kind === 'import')
  return imports[random.between(0, Math.max(0, imports.length - 1))]?.id
}

const SPEECH_MS = JOB_DEADLINE_MS - DELIVERY_MS

/** As if seven hours had passed since the job was accepted. */
const passSpeechTime = ({ account, world }: Scene, id: string): void => {
  const sql = world.namespaces.ACCOUNTS.storage(account.id)?.sqlDatabase
  const query =
    "UPDATE jobs SET created_at = created_at - ? WHERE id = ? AND step IN ('audio', 'recognize') RETURNING 1"
  if (sql?.exec(query, SPEECH_MS, id).toArray().length !== 1) return
  account.outOfTime.set(id, world.clock.now)
  // The row is in its memory too.
  world.namespaces.ACCOUNTS.kill(account.id)
}

const untilInSpeech = async ({ account, world }: Scene, id: string): Promise<void> => {
  const query = "SELECT 1 FROM jobs WHERE id = ? AND (step IN ('audio', 'recognize') OR completed_at IS NOT NULL)"
  for (let looks = 0; looks < 600; looks++) {
    const sql = world.namespaces.ACCOUNTS.storage(account.id)?.sqlDatabase
    if (sql?.exec(query, id).toArray().length === 1) return
    await sleep(1_000)
  }
}

/** Acts with imports that make more than their media. */
export const wordsActs = {
  'import with words': { weight: 5, run: (scene) => startWithWords(scene) },
  'import with words that is canceled': {
    weight: 2,
    run: async (scene) => {
      const { account, random } = scene
      const id = await startWithWords(scene)
      await sleep(random.between(0, 40_000))
      if (id !== null) await account.ask('DELETE', `/jobs/${id}`)
    },
  },
  'import with words and a ceiling': {
    weight: 2,
    run: (scene) => startWithWords(scene, { maxCostDollars: scene.random.between(1, 150) / 1_000 }),
  },
  'import with words for which there is no money': {
    weight: 1,
    run: async (scene) => {
      const { account, random, operate } = scene
      const high = oneOf(random, ['captions', 'builtinPerMinute', 'speechMinimum'])
      await operate('PATCH', `/admin/accounts/${account.id}`, { prices: { [high]: 50 } })
      await startWithWords(scene, { transcribe: oneOf(random, transcripts(random)) })
      await operate('PATCH', `/admin/accounts/${account.id}`, { prices: null })
    },
  },
  'import with words on a budget': {
    weight: 1,
    run: async (scene) => {
      const { account, random } = scene
      const terms = { dollarsPerMonth: random.between(1, 15) / 100, scopes: ['import', 'transcribe'] }
      const key = await makeKey(scene, terms)
      if (!key) return
      const body = { url: filmWithWords(scene), ...words(random), transcribe: { mode: 'speech' } }
      await account.ask('POST', '/import', { body, ...withKey(key.apiKey) })
    },
  },
  'import whose speech takes too long': {
    weight: 1,
    run: async (scene) => {
      const id = await startWithWords(scene, { transcribe: { mode: 'speech' } }, { workMs: 100_000, hasAudio: true })
      if (id === null) return
      await untilInSpeech(scene, id)
      await sleep(scene.random.between(0, 60_000))
      passSpeechTime(scene, id)
    },
  },
  'batch of imports with words': {
    weight: 2,
    run: async (scene) => {
      const { random, account } = scene
      const urls = Array.from({ length: random.between(1, 4) }, (_, index) => filmWithWords(scene, {}, `-${index}`))
      const ceiling = random.chance(0.3) ? { maxCostDollars: random.between(1, 30) / 100 } : {}
      const wanted = { ...words(random), ...(await storing(scene)) }
      return account.start('/batches', { urls, import: wanted, webhookUrl: RECEIVER_URL, ...ceiling })
    },
  },
  'transcription with files': {
    weight: 2,
    run: async (scene) => {
      const { random, account } = scene
      const { captions } = words(random)
      const wanted = { ...(captions && { captions }), ...(random.chance(0.5) && { formats: ['vtt', 'json'] }) }
      const body = { url: filmWithWords(scene), ...oneOf(random, transcripts(random)), ...wanted, ...webhook(scene) }
      return account.start('/transcribe', { ...body, ...(await storing(scene)) })
    },
  },
  'files of an import': {
    weight: 3,
    run: async (scene) => {
      const { account, random } = scene
      const id = anyImport(scene)
      if (id === undefined) return
      const status = await account.ask('GET', `/import/status?id=${id}`)
      const { result } = (status?.body.data ?? {}) as { result?: { files?: { url?: string }[] } }
      const links = (result?.files ?? []).flatMap(({ url }) => url ?? [])
      const link = links[random.between(0, Math.max(0, links.length - 1))]
      if (link) await account.ask('GET', link.replace(/^https:\/\/[^/]+/, ''))
      await account.ask('GET', `/transcribe/transcript?id=${id}&format=srt`)
    },
  },
  'removal of what an import has made': {
    weight: 1,
    run: async (scene) => {
      const { account } = scene
      const id = anyImport(scene)
      const status = id !== undefined && (await account.ask('GET', `/import/status?id=${id}`))
      const { status: state } = ((status || null)?.body.data ?? {}) as { status?: string }
      if (state === 'completed') await account.ask('DELETE', `/jobs/${id}`)
    },
  },
} satisfies Record<string, Act>
