import { sourceUrl } from '../actors/sources.ts'
import type { Act, Scene } from './act.ts'
import { followToItsEnd } from './follow-to-its-end.ts'

const anyJob = ({ account, random }: Scene) => account.jobs[random.between(0, Math.max(0, account.jobs.length - 1))]

/** Does something with one of the account's jobs, if there is one. */
const withJob =
  (act: (scene: Scene, job: { id: string; kind: 'import' | 'transcribe' }) => Promise<unknown>) =>
  async (scene: Scene) => {
    const job = anyJob(scene)
    if (job) await act(scene, job)
  }

/** Acts that look at what is there, or end it. */
export const reads = {
  poll: {
    weight: 10,
    run: withJob(({ account }, { id, kind }) => account.ask('GET', `/${kind}/status?id=${id}`)),
  },
  wait: {
    weight: 3,
    run: withJob(({ account, random }, { id, kind }) =>
      account.ask('GET', `/${kind}/status?id=${id}&wait=${random.between(1, 10)}`),
    ),
  },
  'follow a job': {
    weight: 1,
    run: withJob(({ account, random }, { id }) =>
      account.listen(`/jobs/${id}/events`, random.between(1, 20) * 1_000, () => {}),
    ),
  },
  'follow a job to its end': {
    weight: 4,
    run: async ({ account, world }) => {
      const latest = account.jobs.at(-1)
      if (latest) await followToItsEnd(account, world, `/jobs/${latest.id}`)
    },
  },
  'list of jobs': { weight: 2, run: ({ account }) => account.ask('GET', '/jobs?limit=5') },
  cancel: {
    weight: 4,
    run: withJob(({ account }, { id }) => account.ask('DELETE', `/jobs/${id}`)),
  },
  download: {
    weight: 2,
    run: withJob(async (scene, { id, kind }) => {
      const { account } = scene
      const status = await account.ask('GET', `/${kind}/status?id=${id}`)
      const { result } = (status?.body.data ?? {}) as { result?: { mediaUrl?: string } }
      if (kind === 'transcribe') await account.ask('GET', `/transcribe/transcript?id=${id}&format=srt`)
      else if (result?.mediaUrl) {
        await account.ask('GET', result.mediaUrl.replace(/^https:\/\/[^/]+/, ''), { headers: { range: 'bytes=0-99' } })
      }
    }),
  },
  metadata: {
    weight: 2,
    run: ({ account, name, random }) =>
      account.ask('GET', `/metadata?url=${encodeURIComponent(sourceUrl(name, { items: random.chance(0.2) ? 3 : 0 }))}`),
  },
  'account and ledger': {
    weight: 1,
    run: async ({ account }) => {
      await account.ask('GET', '/account')
      await account.ask('GET', '/account/ledger?limit=5')
    },
  },
  deliveries: { weight: 1, run: ({ account }) => account.ask('GET', '/webhooks/deliveries') },
  'replay of deliveries': {
    weight: 1,
    run: async ({ account, random }) => {
      const answer = await account.ask('GET', '/webhooks/deliveries')
      const { deliveries = [] } = (answer?.body.data ?? {}) as { deliveries?: { deliveryId: string }[] }
      const id = deliveries[random.between(0, Math.max(0, deliveries.length - 1))]?.deliveryId
      if (id) await account.ask('POST', `/webhooks/deliveries/${id}/replay`)
    },
  },
  'new webhook secret': { weight: 1, run: ({ account }) => account.ask('POST', '/webhooks/secret/rotate') },
} satisfies Record<string, Act>
