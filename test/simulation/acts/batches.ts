import { RECEIVER_URL } from '../actors/receiver.ts'
import { sourceUrl } from '../actors/sources.ts'
import type { Act, Scene } from './act.ts'
import { followToItsEnd } from './follow-to-its-end.ts'

const urls = ({ name, random }: Scene): string[] =>
  Array.from({ length: random.between(1, 4) }, (_, index) =>
    sourceUrl(`${name}-${index}`, {
      bytes: random.between(100_000, 3_000_000),
      workMs: random.between(500, 8_000),
      fails: random.chance(0.1) ? 'SOURCE_NOT_FOUND' : null,
      status: random.chance(0.1) ? 404 : 206,
    }),
  )

/** Always: the books expect that the end of each batch is told. */
const webhook = { webhookUrl: RECEIVER_URL }

const anyOf = ({ account, random }: Scene): string | undefined =>
  account.batches[random.between(0, Math.max(0, account.batches.length - 1))]

export const batchActs = {
  'batch of imports': {
    weight: 2,
    run: (scene) => {
      const body = { urls: urls(scene), import: {}, ...webhook, metadata: { act: scene.name } }
      return scene.account.start('/batches', body, scene.random.chance(0.5) ? scene.name : undefined)
    },
  },
  'batch of transcriptions': {
    weight: 1,
    run: (scene) =>
      scene.account.start('/batches', { urls: urls(scene), transcribe: { provider: 'builtin' }, ...webhook }),
  },
  'batch with a ceiling': {
    weight: 1,
    run: (scene) => {
      const maxCostDollars = scene.random.between(1, 10) / 100
      return scene.account.start('/batches', { urls: urls(scene), import: {}, maxCostDollars, ...webhook })
    },
  },
  playlist: {
    weight: 1,
    run: (scene) => {
      const { account, name, random } = scene
      const fails = random.chance(0.1) ? 'SOURCE_NOT_FOUND' : null
      const playlistUrl = sourceUrl(name, { items: random.between(0, 4), fails, isSizeKnown: false })
      return account.start('/batches', { playlistUrl, import: {}, ...webhook })
    },
  },
  'look at a batch': {
    weight: 2,
    run: async (scene) => {
      const id = anyOf(scene)
      if (id === undefined) return
      await scene.account.ask('GET', `/batches/${id}`)
      await scene.account.ask('GET', `/batches/${id}/items?limit=3`)
      await scene.account.ask('GET', '/batches')
    },
  },
  'follow a batch to its end': {
    weight: 2,
    run: async ({ account, world }) => {
      const latest = account.batches.at(-1)
      if (latest !== undefined) await followToItsEnd(account, world, `/batches/${latest}`)
    },
  },
  'cancel of a batch': {
    weight: 1,
    run: async (scene) => {
      const id = anyOf(scene)
      if (id !== undefined) await scene.account.ask('DELETE', `/batches/${id}`)
    },
  },
  'retry of a batch': {
    weight: 1,
    run: async (scene) => {
      const id = anyOf(scene)
      if (id === undefined) return
      const answer = await scene.account.ask('POST', `/batches/${id}/retry`, { idempotencyKey: scene.name })
      const retried = answer?.status === 202 && (answer.body.data as unknown as { batchId: string }).batchId
      if (retried) scene.account.batches.push(retried)
    },
  },
} satisfies Record<string, Act>
