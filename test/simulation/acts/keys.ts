import type { Account } from '../actors/caller.ts'
import { RECEIVER_URL } from '../actors/receiver.ts'
import { type SourceFacts, sourceUrl } from '../actors/sources.ts'
import { sleep } from '../sleep.ts'
import type { Act, Scene } from './act.ts'

interface MadeKey {
  keyId: string
  apiKey: string
}

export const makeKey = async ({ account, name }: Scene, terms: object): Promise<MadeKey | null> => {
  const answer = await account.ask('POST', '/keys', { body: { name, ...terms } })
  return answer?.status === 201 ? (answer.body.data as unknown as MadeKey) : null
}

export const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** A megabyte costs a cent as a rule. What a source does not announce is held for while it arrives. */
const startWith = (account: Account, key: string, source: string, facts: Partial<SourceFacts>) =>
  account.ask('POST', '/import', { body: { url: sourceUrl(source, { workMs: 2_000, ...facts }) }, ...withKey(key) })

const startMany = ({ account, random, name }: Scene, key: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await sleep(random.between(0, 4_000))
      const facts = { bytes: random.between(500_000, 3_000_000), isSizeKnown: random.chance(0.5) }
      await startWith(account, key, `${name}-${key.slice(-4)}-${index}`, facts)
    }),
  )

export const keyActs = {
  'twenty starts on a budget for three': {
    weight: 1,
    run: async (scene) => {
      const key = await makeKey(scene, { dollarsPerMonth: 0.05, scopes: ['import'] })
      if (key) await startMany(scene, key.apiKey, 20)
    },
  },
  'a batch on a budget': {
    weight: 1,
    run: async (scene) => {
      const { account, random, name } = scene
      const key = await makeKey(scene, { dollarsPerMonth: random.between(1, 8) / 100, scopes: ['read', 'import'] })
      if (!key) return
      const urls = Array.from({ length: 5 }, (_, index) => sourceUrl(`${name}-${index}`, { bytes: 1_500_000 }))
      const body = { urls, import: {}, webhookUrl: RECEIVER_URL }
      await account.ask('POST', '/batches', { body, ...withKey(key.apiKey) })
    },
  },
  'a key on a budget that is removed while its batch runs, and keys that come and go': {
    weight: 1,
    run: async (scene) => {
      const { account, random, name } = scene
      const key = await makeKey(scene, { dollarsPerMonth: 0.05, scopes: ['import'] })
      if (!key) return
      const urls = Array.from({ length: 8 }, (_, index) => sourceUrl(`${name}-${index}`, { bytes: 1_500_000 }))
      await account.ask('POST', '/batches', {
        body: { urls, import: {}, webhookUrl: RECEIVER_URL },
        ...withKey(key.apiKey),
      })
      await sleep(random.between(0, 4_000))
      await account.ask('DELETE', `/keys/${key.keyId}`)
      for (let count = 0; count < 3; count++) {
        const other = await makeKey(scene, { scopes: ['read'] })
        if (other) await account.ask('DELETE', `/keys/${other.keyId}`)
        await sleep(random.between(0, 4_000))
      }
    },
  },
  'a key that is removed while it starts jobs': {
    weight: 1,
    run: async (scene) => {
      const { account, random, world } = scene
      const key = await makeKey(scene, {})
      if (!key) return
      const starts = startMany(scene, key.apiKey, 6)
      await sleep(random.between(0, 4_000))
      const answer = await account.ask('DELETE', `/keys/${key.keyId}`)
      if (answer?.status === 204) account.removedKeys.set(key.keyId, world.clock.now)
      await starts
      await startWith(account, key.apiKey, `${scene.name}-late`, { bytes: 1_000 })
    },
  },
} satisfies Record<string, Act>
