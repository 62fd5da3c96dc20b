import { rpcHeaders, rpcMessage } from '../../support/mcp-messages.ts'
import { bucketSettings } from '../actors/callers-bucket.ts'
import { sourceUrl } from '../actors/sources.ts'
import { PROVIDER_KEY, providerSlots } from '../actors/speech-providers.ts'
import { sleep } from '../sleep.ts'
import type { Act, Scene } from './act.ts'

const BOUNDARY = 'simulated-boundary'

const form = (fields: Record<string, string>, file: string | null = null): string => {
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value))
  if (file !== null) parts.push(part('name="file"; filename="talk.mp3"', file))
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`

const askOpenAiDoor = ({ account }: Scene, body: string) =>
  account.send('/v1/audio/transcriptions', body, { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` })

const callTool = ({ account }: Scene, name: string, args: object) => {
  const params = { name, arguments: args }
  return account.send('/mcp', JSON.stringify(rpcMessage('tools/call', params)), rpcHeaders('tools/call', params))
}

/** Cancels an import as soon as its caller sees that it is copied. */
const cancelDelivery = async (account: Scene['account'], id: string): Promise<void> => {
  for (let looks = 0; looks < 60; looks++) {
    const read = await account.ask('GET', `/import/status?id=${id}`)
    const { status, progress } = (read?.body.data ?? {}) as { status?: string; progress?: { stage: string } }
    if (status === 'completed' || status === 'failed') return
    if (progress?.stage === 'delivering') {
      await account.ask('DELETE', `/jobs/${id}`)
      return
    }
    await sleep(500)
  }
}

/** Acts with callers' buckets, their keys for providers, and OpenAI's API. */
export const doors = {
  'import into a bucket': {
    weight: 2,
    run: async ({ account, random, name }) => {
      await account.ask('PUT', '/storage', { body: bucketSettings })
      // Some are copied in parts.
      const bytes = random.chance(0.2) ? random.between(6_000_000, 12_000_000) : random.between(1_000, 300_000)
      const url = sourceUrl(name, { bytes, workMs: 2_000 })
      const id = await account.start('/import', { url, store: true, storagePath: name })
      if (id !== null && random.chance(0.4)) await cancelDelivery(account, id)
    },
  },
  'removal of the bucket': {
    weight: 0.3,
    run: ({ account }) => {
      account.hasRemovedBucket = true
      return account.ask('DELETE', '/storage')
    },
  },
  'transcription by a provider': {
    weight: 2,
    run: ({ account, random, name }) =>
      account.start('/transcribe', {
        url: sourceUrl(name, { bytes: 200_000, seconds: random.between(10, 600), workMs: 2_000 }),
        ...{ provider: providerSlots[random.between(0, providerSlots.length - 1)], apiKey: PROVIDER_KEY },
      }),
  },
  'transcription by OpenAI’s API': {
    weight: 1,
    run: (scene) => {
      const { random, name } = scene
      const url = sourceUrl(name, {
        bytes: 200_000,
        seconds: 20,
        workMs: 2_000,
        captions: random.chance(0.5) ? 'en' : '',
      })
      return askOpenAiDoor(scene, form({ model: 'haul-auto', url, response_format: 'json' }))
    },
  },
  'transcription of a file by OpenAI’s API': {
    weight: 1,
    run: async (scene) => {
      // The same bytes join the job that reads them already.
      const body = form({ model: 'whisper-1', response_format: 'json' }, `sound ${scene.random.between(0, 3)}`)
      await Promise.all([askOpenAiDoor(scene, body), scene.random.chance(0.3) && askOpenAiDoor(scene, body)])
    },
  },
  'tools of MCP': {
    weight: 1,
    run: async (scene) => {
      const { random, name } = scene
      const url = sourceUrl(name, {
        bytes: 200_000,
        seconds: 20,
        workMs: 4_000,
        captions: random.chance(0.5) ? 'en' : '',
      })
      const tool = random.chance(0.5) ? 'import_media' : 'transcribe'
      // Two equal calls within an hour make one job.
      for (let calls = random.between(1, 2); calls > 0; calls--) await callTool(scene, tool, { url })
    },
  },
} satisfies Record<string, Act>
