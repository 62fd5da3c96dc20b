/// <reference lib="dom" />
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../../scripts/setup/system.mjs'
import { startHaul } from '../../scripts/start/haul.ts'
import { startOrigin } from '../doubles/origin/origin.ts'
import { press, startJob, stateOf } from '../support/product/console-jobs.ts'

/**
 * `npm run picture`: a screenshot of the console, docs/console.png, with a film that was imported and transcribed by a
 * running Haul.
 */
const picture = join(import.meta.dirname, '../../docs/console.png')
const clips = join(import.meta.dirname, '../media/clips')
const spoken = ['0870', '0880', '0890', '0920', '0930']
const SPEECH_TIMEOUT_MS = 120_000

/** A film with colours that move slowly, and the recordings that the tests of the speech engine use. Returns its name. */
const makeFilm = async (folder: string): Promise<string> => {
  const name = 'Sense-and-Sensibility.mp4'
  const colours = 'gradients=s=1280x720:r=25:speed=0.02:c0=0x1b3a4b:c1=0x2f6f6a:c2=0xd9a441:n=3'
  const sound = spoken.flatMap((number) => ['-i', join(clips, `${number}.flac`)])
  const inputs = spoken.map((_, index) => `[${index + 1}:a]`).join('')
  await promisify(execFile)(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', colours, ...sound],
      ...['-filter_complex', `${inputs}concat=n=${spoken.length}:v=0:a=1[sound]`, '-map', '0:v', '-map', '[sound]'],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest'],
      ...['-movflags', '+faststart', name],
    ],
    { cwd: folder },
  )
  return name
}

/** Imports the film with its transcript in the console, and shows the transcript beside the player. */
const showTranscript = async (page: Page, url: string): Promise<void> => {
  await page.getByLabel('Transcript', { exact: true }).check()
  await page.getByRole('combobox', { name: 'Transcript from' }).selectOption('builtin')
  await page.getByText('More options').click()
  await page.getByLabel('Times of words').check()
  await page.getByText('More options').click()
  const job = await startJob(page, url)
  await stateOf(job, 'Completed')
  await press(job, 'Read')
  const line = job.getByRole('list', { name: 'Transcript' }).getByRole('listitem').nth(1)
  await line.getByRole('button').click()
  await job.locator('video').evaluate(pauseAfterOneSecond)
  await line.locator('.word[data-said]').nth(2).waitFor()
}

/** Pauses in the middle of a sentence, so that the picture shows the word that is spoken. */
const pauseAfterOneSecond = async (video: HTMLVideoElement): Promise<void> => {
  const until = video.currentTime + 1
  await video.play()
  while (video.currentTime < until) await new Promise((resolve) => requestAnimationFrame(resolve))
  video.pause()
}

const folder = await mkdtemp(join(tmpdir(), 'haul-picture-'))
const film = await makeFilm(folder)
const origin = await startOrigin({ root: folder })
const haul = await startHaul({
  stateDir: join(folder, 'state'),
  env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host },
})
const args = ['--headless', '--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required']
const browser = await chromium.launch({ executablePath: chromiumPath(), args })
try {
  const page = await browser.newPage({ viewport: { width: 1120, height: 1340 }, deviceScaleFactor: 1.5 })
  page.setDefaultTimeout(SPEECH_TIMEOUT_MS)
  await page.goto(haul.baseUrl)
  await page.getByLabel('API key').fill(haul.apiKey)
  await page.getByRole('button', { name: 'Open console' }).click()
  await showTranscript(page, `${origin.url}/media/${film}`)
  await page.screenshot({ path: picture })
  console.log(picture)
} finally {
  await browser.close()
  await haul.stop()
  await origin.close()
  await rm(folder, { recursive: true, force: true })
}
