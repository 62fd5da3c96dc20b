/// <reference lib="dom" />
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { pageOfAnotherSite } from '../../doubles/page-of-another-site.ts'
import { startBrowser } from '../../support/product/browser.ts'
import { type Client, pages } from '../clients.ts'
import { clientsDir } from '../ensure-clients.mjs'
import { withAddress } from '../run.ts'
import { testEach, workspace } from '../workspace.ts'

/** Unmodified packages in a page of another site in Chromium, with a key that allows the site. */
const space = workspace()
let browser: Browser
/** 11 MB, which are two parts of an upload. */
let recording: Buffer

beforeAll(async () => {
  browser = await startBrowser()
  const file = space.media('recording.wav')
  const sound = ['-ar', '96000', '-ac', '4', '-c:a', 'pcm_s32le', file]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', '-i', space.media('talk.flac'), ...sound])
  recording = await readFile(file)
})

afterAll(() => browser?.close())

declare global {
  interface Window {
    program: { run: (file: File) => Promise<string> }
  }
}

const bundleOf = async ({ program }: Client, apiKey: string): Promise<string> => {
  const source = await readFile(join(import.meta.dirname, '..', program), 'utf8')
  const contents = withAddress(source, { url: space.site.haul.baseUrl, apiKey, page: '' })
  const options = { bundle: true, format: 'iife', globalName: 'program', platform: 'browser', write: false } as const
  const stdin = { contents, resolveDir: join(clientsDir, 'node') }
  const { outputFiles } = await build({ stdin, ...options, logLevel: 'error' })
  return outputFiles[0]?.text ?? ''
}

const expected: Record<string, RegExp> = {
  'openai in a page': /john dashwood had then leisure to consider/i,
  'Uppy’s aws-s3': /^ready 2 parts$/,
}

testEach(pages, 'does in Chromium what it does for its users', async (client) => {
  const page = await pageOfAnotherSite(browser, recording)
  // A name that a key may allow without https.
  await page.goto(page.url().replace('app.localhost', 'localhost'))
  const allowedOrigins = [new URL(page.url()).origin]
  const key = { name: client.name, scopes: ['transcribe'], allowedOrigins }
  const { apiKey } = await space.account.post<{ apiKey: string }>('/keys', key)
  await page.addScriptTag({ content: await bundleOf(client, apiKey) })
  const result = await page.evaluate(async () => {
    const file = await (await fetch('/file')).blob()
    return window.program.run(new File([file], 'talk.wav', { type: 'audio/wav' }))
  })
  expect(result).toMatch(expected[client.name] as RegExp)
})
