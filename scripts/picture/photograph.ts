/// <reference lib="dom" />
import { chromium } from 'playwright-core'
import { chromiumPath } from '../setup/system.mjs'
import type { DevFile } from '../start/demo-account.ts'

const SPEECH_TIMEOUT_MS = 120_000

/** Imports the film in the console, transcribes the import, and photographs the transcript beside the player. */
export const photograph = async (haul: DevFile, url: string, file: string): Promise<void> => {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1120, height: 1220 }, deviceScaleFactor: 1.5 })
    page.setDefaultTimeout(SPEECH_TIMEOUT_MS)
    await page.goto(haul.baseUrl)
    await page.getByLabel('API key').fill(haul.apiKey)
    await page.getByRole('button', { name: 'Open console' }).click()
    await page.getByText('No jobs yet').waitFor()

    await page.getByLabel('Media URL').fill(url)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const film = page.locator('.job').first()
    await film.locator('.job-state', { hasText: 'Completed' }).waitFor()
    await film.getByRole('button', { name: 'Transcribe: ' }).click()
    await page.getByRole('combobox', { name: 'Source' }).selectOption('builtin')
    await page.getByText('More options').click()
    await page.getByLabel('Times of words').check()
    await page.getByText('More options').click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('.job').nth(1).waitFor()
    const transcript = page.locator('.job').first()
    await transcript.locator('.job-state', { hasText: 'Completed' }).waitFor()

    await transcript.getByRole('button', { name: 'Read: ' }).click()
    const line = transcript.getByRole('list', { name: 'Transcript' }).getByRole('listitem').nth(1)
    await line.getByRole('button').click()
    await transcript.locator('video').evaluate(pauseAfterOneSecond)
    await line.locator('.word[data-said]').nth(2).waitFor()
    await page.screenshot({ path: file })
  } finally {
    await browser.close()
  }
}

/** Pauses in the middle of a sentence, so that the picture shows the word that is spoken. */
const pauseAfterOneSecond = async (video: HTMLVideoElement): Promise<void> => {
  const until = video.currentTime + 1
  await video.play()
  while (video.currentTime < until) await new Promise((resolve) => requestAnimationFrame(resolve))
  video.pause()
}
