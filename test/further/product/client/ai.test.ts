import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transcribe } from 'ai'
import { beforeAll, expect, test } from 'vitest'
import { createHaul } from '../../../../client/ai/index.ts'
import type { AccountClient } from '../../../support/product/api-client.ts'
import { product } from '../../../support/product/product.ts'

/** The AI SDK, unmodified, with `haul-client/ai` against the whole product. Its scripted speech engine hears the files. */
const site = product()
const clip = join(import.meta.dirname, '../../../media/clips/0870.flac')
const spoken = /^And Mr\. John Dashwood had then leisure/

let client: AccountClient
beforeAll(async () => {
  client = await site.newClient()
})

/** A provider, and the origins of all requests that this process sends. */
const connect = () => {
  const requested = new Set<string>()
  const counting: typeof fetch = (input, init) => {
    requested.add(new URL(String(input)).origin)
    return fetch(input, init)
  }
  const { apiKey } = client
  return { requested, haul: createHaul({ apiKey, baseUrl: site.haul.baseUrl, fetch: counting }) }
}

test('the URL of a page goes to Haul, and nothing else fetches it', async () => {
  const { haul, requested } = connect()
  const before = site.origin.requests.length
  const audio = new URL(site.media('media/subtitled/long.mp4'))
  const transcript = await transcribe({ model: haul.transcription('haul-auto'), audio })
  expect(transcript.text).toContain('Still a tone.')
  expect(transcript.segments).toHaveLength(3)
  expect(transcript.durationInSeconds).toBeGreaterThan(1)
  expect(transcript.providerMetadata.haul).toMatchObject({
    source: 'platform_captions',
    jobId: expect.stringMatching(/^trn_/),
  })
  expect(requested).toEqual(new Set([site.haul.baseUrl]))
  const agents = site.origin.requests.slice(before).map(({ headers }) => headers['user-agent'])
  expect(agents.length).toBeGreaterThan(0)
  // The SDK's own download says `ai-sdk`, and Node's fetch says `node`.
  expect(agents.filter((agent) => /^node|ai-sdk|ai\//.test(agent ?? ''))).toEqual([])
})

test.each([
  ['bytes', (bytes: Buffer) => new Uint8Array(bytes)],
  ['base64', (bytes: Buffer) => bytes.toString('base64')],
])('a file as %s is uploaded, and comes back with segments and words', async (_, audioOf) => {
  const { haul } = connect()
  const audio = audioOf(await readFile(clip))
  const model = haul.transcription('haul-builtin')
  const transcript = await transcribe({ model, audio, timestampGranularities: ['word'] })
  expect(transcript.text).toMatch(spoken)
  expect(transcript.segments[0]?.text).toMatch(/^And/)
  expect(transcript.words?.slice(0, 2).map(({ text }) => text.trim())).toEqual(['And', 'Mr.'])
  expect(transcript).toMatchObject({ language: 'en', warnings: [] })
  const { jobId, costInDollars } = transcript.providerMetadata.haul ?? {}
  expect(costInDollars).toBeGreaterThan(0)
  expect(await client.get(`/jobs/${jobId}`)).toMatchObject({ status: 'completed' })
})
