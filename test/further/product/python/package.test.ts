import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { installedPackage } from '../../../rules/python/installed-package.ts'
import { product } from '../../../support/product/product.ts'

/** The installed Python package against the whole product. */
const run = promisify(execFile)
const site = product()
const installed = installedPackage()

/** Each program has an account of its own. */
const inputOf = async () => {
  const [client, hook] = await site.newPair()
  const { origin, receiver } = site
  await site.start(client, hook)
  const [webhook] = await receiver.wait(hook, 1)
  const scenario = {
    media: `${origin.url}/media/faststart.mp4`,
    subtitled: `${origin.url}/media/subtitled/long.mp4`,
    slow: `${origin.url}/generated/30000000.mp4?ratePerSecond=2000000`,
    path: fixture('faststart.mp4'),
    webhook: { headers: webhook?.headers, body: webhook?.body },
    lastEventId: webhook?.headers['webhook-id'],
  }
  return { HAUL_API_KEY: client.apiKey, HAUL_URL: site.haul.baseUrl, SCENARIO: JSON.stringify(scenario) }
}

const expected = {
  imported: ['audio/mp4', true, null],
  found: ['42'],
  isPlaylist: false,
  transcribed: ['platform_captions', 'A tone, inside. Still a tone. The last tone.\n', 3],
  segments: true,
  uploaded: ['ready', 0, 100],
  uploadFailure: [true, 'TRANSCRIPTION_PROVIDER_REQUIRED', true],
  fileFailure: 'TRANSCRIPTION_PROVIDER_REQUIRED',
  batch: [2, 'completed', 1, ['completed', 'failed']],
  batches: true,
  canceled: ['failed', 'CANCELED', true],
  aborted: ['EnoughError', 'CANCELED'],
  isRepeated: true,
  timedOut: ['HaulTimeoutError', true],
  refused: [true, 400, 'INVALID_REQUEST', 'videoQuality'],
  unknown: [404, 'JOB_NOT_FOUND', true],
  event: ['import.completed', 'completed', true],
  firstEvent: ['job.started', true],
  forged: 'HaulWebhookError',
  keys: [['read'], false],
  heldDollars: 0,
  request: 0,
}

test.concurrent.each(['Haul', 'AsyncHaul'])(
  'a program with %s imports, transcribes, uploads, cancels, follows events and verifies webhooks',
  async (name) => {
    const env = { ...process.env, ...(await inputOf()) }
    const { stdout } = await run(installed.python, [join(import.meta.dirname, 'scenario.py'), name], { env })
    expect(JSON.parse(stdout)).toEqual(expected)
  },
)
