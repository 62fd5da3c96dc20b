/// <reference lib="dom" />
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../support/loopback.ts'
import { startBrowser } from '../../../support/product/browser.ts'
import { type Product, SPEECH_TIMEOUT_MS, spokenWords } from './product.ts'

export const testUploadPage = (product: Product): void => {
  let browser: Browser

  beforeAll(async () => {
    browser = await startBrowser()
    // 96 kHz and 32 bits for each sample, so that a few seconds fill more than one part.
    const format = ['-ar', '96000', '-ac', '4', '-c:a', 'pcm_s32le', join(product.folder, 'recording.wav')]
    await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', join(product.folder, 'speech.m4a'), ...format])
    await writeFile(join(product.folder, 'notes.mp3'), 'This is not a recording.')
  })
  afterAll(() => browser?.close())

  const openPage = async (): Promise<{ page: Page; url: string }> => {
    const port = await freePort()
    const command = product.runExample(['upload-page'], { PORT: `${port}` })
    const url = `http://127.0.0.1:${port}`
    await command.printed(`Open ${url}`)
    const page = await browser.newPage()
    const faults: Error[] = []
    page.on('pageerror', (error) => faults.push(error))
    onTestFinished(async () => {
      await page.close()
      expect(faults).toEqual([])
    })
    await page.goto(url)
    return { page, url }
  }
  const choose = (page: Page, file: string): Promise<void> =>
    page.getByLabel('Choose a file').setInputFiles(join(product.folder, file))

  test('a recording goes straight to storage, and its transcript seeks the player', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const { page, url } = await openPage()
    const requests: Record<string, string>[] = []
    page.on('request', (request) => requests.push(request.headers()))
    const toStorage: string[] = []
    await page.route(
      ({ origin }) => origin === product.haul.baseUrl,
      (route, request) => {
        const part = new URL(request.url()).searchParams.get('partNumber')
        // The first is cut off.
        return toStorage.push(`${request.method()} ${part}`) === 1 ? route.abort() : route.continue()
      },
    )
    await choose(page, 'recording.wav')
    const segments = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
    await segments.nth(1).waitFor({ timeout: SPEECH_TIMEOUT_MS })
    expect(await segments.first().textContent()).toMatch(spokenWords)
    expect(await page.getByRole('status').textContent()).toMatch(/^\d+ segments, language: English$/)

    await segments.nth(1).getByRole('button').click()
    const start = Number(await segments.nth(1).getAttribute('data-start'))
    expect(start).toBeGreaterThan(1)
    await page.waitForFunction((from) => (document.querySelector('video')?.currentTime ?? 0) >= from, start)
    await expect.poll(() => segments.nth(1).getAttribute('aria-current')).toBe('true')

    // Both are sent at the same time, so either is the first.
    expect(toStorage.toSorted()).toEqual(['PUT 1', 'PUT 2', toStorage[0]].toSorted())
    expect(JSON.stringify(requests)).not.toContain(product.haul.apiKey)
    const link = await page.getByRole('link', { name: 'Download subtitles' }).getAttribute('href')
    const subtitles = await fetch(`${url}${link}`)
    expect(subtitles.headers.get('content-disposition')).toContain('.srt')
    expect(await subtitles.text()).toMatch(/00:00:00,\d{3} --> /)
  })

  test('a file that is no recording is refused with its reason, and another can be chosen', async () => {
    const { page } = await openPage()
    await choose(page, 'notes.mp3')
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/\w+/)
    expect(await page.getByLabel('Choose a file').isEnabled()).toBe(true)
  })

  test('a visitor cannot read jobs of the account that the page has not started', async () => {
    const { url } = await openPage()
    const { jobId } = (await product.client.request('POST', '/transcribe', { url: product.media('speech.m4a') })).body
      .data
    expect((await product.client.request('GET', `/jobs/${jobId}`)).status).toBe(200)
    expect((await fetch(`${url}/jobs/${jobId}/events`)).status).toBe(404)
    expect((await fetch(`${url}/jobs/${jobId}/transcript/srt`)).status).toBe(404)
    const upload = (await product.client.request('POST', '/uploads', { filename: 'a.mp3', sizeBytes: 9 })).body.data
    const body = JSON.stringify({ parts: [] })
    expect((await fetch(`${url}/uploads/${upload.uploadId}/transcribe`, { method: 'POST', body })).status).toBe(404)
  })
}
