import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ensureClient } from '../../scripts/setup/client.mjs'
import { ensurePythonTools } from '../../scripts/setup/for-tests.mjs'
import { fixture } from '../doubles/origin/fixtures.ts'
import { product } from '../support/product/product.ts'
import { scenarioInput, scenarioOutcome } from './scenario.ts'

/**
 * A program of a user, with the client for JavaScript and both for Python, from the checkout. What npm and pip install is
 * tested by test/further/product/client and test/rules/python.
 */
const run = promisify(execFile)
const site = product()
const pythonSource = join(import.meta.dirname, '../../python/src')
const media = fixture('faststart.mp4')

/** Both packages are written or compiled from their sources when these have changed. */
const TIMEOUT_MS = 120_000

test('a program in JavaScript imports, transcribes, uploads, cancels and verifies webhooks', {
  timeout: TIMEOUT_MS,
}, async () => {
  await ensureClient(() => {})
  const { runScenario } = await import('./scenario.mjs')
  expect(await runScenario(await scenarioInput(site, media))).toEqual(scenarioOutcome)
})

const pythonOutcome = {
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
  watch: ['starting', 'paused', [true], 404],
  search: [['tone,tone,last tone'], 0.5, true, 'q'],
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

test.each(['Haul', 'AsyncHaul'])(
  'so does one in Python with %s, which also follows events',
  {
    timeout: TIMEOUT_MS,
  },
  async (name) => {
    await ensureClient(() => {})
    const python = await ensurePythonTools(() => {})
    const { apiKey, baseUrl, ...scenario } = await scenarioInput(site, media)
    const env = {
      HAUL_API_KEY: apiKey,
      HAUL_URL: baseUrl,
      SCENARIO: JSON.stringify(scenario),
      PYTHONPATH: pythonSource,
    }
    const program = join(import.meta.dirname, 'scenario.py')
    const { stdout } = await run(python, [program, name], { env: { ...process.env, ...env } })
    expect(JSON.parse(stdout)).toEqual(pythonOutcome)
  },
)
