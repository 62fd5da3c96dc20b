import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { toolsDir } from '../../../scripts/setup/paths.mjs'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor } from '../../support/product/browser.ts'
import { type InstalledHaul, installHaul } from '../../support/product/command-line.ts'
import { call, connectMcp, dataOf } from '../../support/product/mcp.ts'
import { ownProduct } from '../../support/product/product.ts'

/** A deployment with two models, Whisper and Moonshine, as callers choose between them. */
const clips = join(import.meta.dirname, '../../media/clips')
const moonshine = join(toolsDir, 'models/moonshine-base')
const heard = /john dashwood had then leisure to consider/i
const asked = { provider: 'builtin', model: 'moonshine-base' }

/** For tests that load a model. */
const SPEECH_TIMEOUT_MS = 120_000

const untilSaid = { timeout: SPEECH_TIMEOUT_MS, interval: 200 }

let recordings: Origin
let client: AccountClient
let command: InstalledHaul

const site = ownProduct(async () => {
  recordings = await startOrigin({ root: clips })
  const prices = { builtinPerMinute: 0.02, speechMinimum: 0, models: { 'moonshine-base': 0.006 } }
  return { speech: 'whisper', env: { STT_MODELS: `moonshine-base=${moonshine}`, PRICES: JSON.stringify(prices) } }
})
const browser = browserFor(site)

beforeAll(async () => {
  client = await site.newClient()
  command = await installHaul()
}, SPEECH_TIMEOUT_MS)

afterAll(async () => {
  await recordings?.close()
  await command?.remove()
})

const media = (clip: string): string => `${recordings.url}/media/${clip}`

const listed = async () => (await client.get<{ models: Record<string, unknown>[] }>('/models')).models

test('the models are listed with what each can do and what it costs, also by the command line', async () => {
  const can = { words: true, speakers: true, vocabulary: true, translation: true }
  const cannot = { words: false, speakers: false, vocabulary: false, translation: false }
  expect(await listed()).toMatchObject([
    { name: 'whisper-base', engine: 'builtin', isDefault: true, languages: 'all', ...can, pricePerMinute: 0.02 },
    { name: 'moonshine-base', isDefault: false, languages: ['en'], ...cannot, pricePerMinute: 0.006 },
  ])
  const env = { HAUL_API_KEY: client.apiKey, HAUL_URL: site.haul.baseUrl }
  const { stdout, exitCode } = await command.run(['models'], { env })
  expect([stdout, exitCode]).toEqual([expect.stringMatching(/\nmoonshine-base +en +\$0\.006/), 0])
  const { models } = JSON.parse((await command.run(['models', '--json'], { env })).stdout)
  expect(models.map(({ name }: { name: string }) => name)).toEqual(['whisper-base', 'moonshine-base'])
})

describe('a model that is named', { timeout: SPEECH_TIMEOUT_MS }, () => {
  test('hears the recording at its price, and the list says how fast it was', async () => {
    const { result } = await client.transcribed({ url: media('0870.flac'), ...asked })
    expect(result).toMatchObject({ model: 'moonshine-base', language: 'en', wordsAvailable: false })
    expect(result.text).toMatch(heard)
    const speech = result.costInDollars - result.downloadCostInDollars
    expect(speech).toBeCloseTo((0.006 * result.duration) / 60, 5)
    // The engines say it with their next state.
    await vi.waitFor(async () => expect((await listed())[1]?.speed).toEqual(expect.any(Number)), untilSaid)
  })

  test('leaves speech in a language that it does not know to the default model', async () => {
    const { result } = await client.transcribed({ url: media('it/frase.flac'), mode: 'auto', model: 'moonshine-base' })
    expect(result).toMatchObject({ model: 'whisper-base', language: 'it' })
  })

  test("is the model of OpenAI's package, and of haul transcribe", async () => {
    const openai = new OpenAI({ apiKey: client.apiKey, baseURL: `${site.haul.baseUrl}/v1`, maxRetries: 20 })
    const names = (await openai.models.list()).data.map(({ id }) => id)
    expect(names).toEqual(expect.arrayContaining(['whisper-1', 'whisper-base', 'moonshine-base']))
    const file = await toFile(await openAsBlob(join(clips, '0870.flac')), 'speech.flac')
    const { text } = await openai.audio.transcriptions.create({ file, model: 'moonshine-base', prompt: 'A novel.' })
    expect(text).toMatch(heard)
    const env = { HAUL_API_KEY: client.apiKey, HAUL_URL: site.haul.baseUrl }
    const words = ['transcribe', media('0870.flac'), '--mode', 'speech', '--model', 'moonshine-base', '--json']
    const { stdout, stderr } = await command.run(words, { env })
    expect([JSON.parse(stdout).result?.model, stderr]).toEqual(['moonshine-base', expect.any(String)])
  })
})

describe('what a model cannot is refused at once', () => {
  const refusalOf = async (fields: object) => {
    const { status, body } = await client.request('POST', '/transcribe', { url: media('0870.flac'), ...fields })
    return [status, body.code, body.details]
  }

  test.each([
    ['words', { words: true }],
    ['language', { language: 'it' }],
  ])('%s', async (path, fields) => {
    const details = [{ path, message: expect.stringMatching(/moonshine-base .* Supported by whisper-base\.$/) }]
    expect(await refusalOf({ ...asked, ...fields })).toEqual([400, 'OPTION_UNSUPPORTED', details])
  })

  test('a name that does not exist, by the API and by MCP', async () => {
    const message = 'must be one of: whisper-base, moonshine-base'
    expect(await refusalOf({ mode: 'auto', model: 'parakeet' })).toEqual([
      ...[400, 'INVALID_REQUEST', [{ path: 'model', message }]],
    ])
    const mcp = await connectMcp(site, client.apiKey)
    const { error } = dataOf(await call(mcp, 'transcribe', { url: media('0870.flac'), model: 'parakeet' }))
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) })
  })
})

test('the console offers the models for speech recognition, and shows which one has heard it', {
  timeout: SPEECH_TIMEOUT_MS,
}, async () => {
  const page = await browser.newTab()
  await browser.openConsole(page, client.apiKey)
  await page.getByLabel('Media URL').fill(media('0870.flac'))
  await page.getByRole('radio', { name: 'Transcript only', exact: true }).check({ force: true })
  const models = page.locator('select[name="model"]')
  await models.selectOption('moonshine-base')
  expect(await models.locator('option').allTextContents()).toEqual([
    'Default, whisper-base: $0.02 a minute',
    'moonshine-base: en, $0.006 a minute',
  ])
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.job-facts', { hasText: 'moonshine-base' }).first().waitFor({ timeout: SPEECH_TIMEOUT_MS })
  await page.locator('select[name="way"]').selectOption('captions')
  expect(await models.isVisible()).toBe(false)
})
