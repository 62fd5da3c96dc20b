import { bucketSettings } from '../actors/callers-bucket.ts'
import { sourceUrl } from '../actors/sources.ts'
import { PROVIDER_KEY, providerSlots } from '../actors/speech-providers.ts'
import type { Act } from './act.ts'

const BOUNDARY = 'simulated-boundary'

const form = (fields: Record<string, string>): string =>
  `${Object.entries(fields)
    .map(([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--${BOUNDARY}--\r\n`

/** Acts with callers' buckets, their keys for providers, and OpenAI's API. */
export const doors = {
  'import into a bucket': {
    weight: 2,
    run: async ({ account, random, name }) => {
      await account.ask('PUT', '/storage', { body: bucketSettings })
      // Some are copied in parts.
      const bytes = random.chance(0.2) ? random.between(6_000_000, 12_000_000) : random.between(1_000, 300_000)
      await account.start('/import', { url: sourceUrl(name, { bytes, workMs: 2_000 }), store: true, storagePath: name })
    },
  },
  'removal of the bucket': { weight: 0.3, run: ({ account }) => account.ask('DELETE', '/storage') },
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
    run: ({ account, random, name }) => {
      const url = sourceUrl(name, { bytes: 200_000, seconds: 20, workMs: 2_000, hasCaptions: random.chance(0.5) })
      return account.send('/v1/audio/transcriptions', form({ model: 'haul-auto', url, response_format: 'json' }), {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      })
    },
  },
} satisfies Record<string, Act>
