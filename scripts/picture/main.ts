/// <reference lib="dom" />
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { startOrigin } from '../../test/doubles/origin/origin.ts'
import { chromiumPath } from '../setup/system.mjs'
import type { DevFile } from '../start/demo-account.ts'
import { startHaul } from '../start/haul.ts'

const clips = join(import.meta.dirname, '../../test/media/clips')
const spoken = ['0870', '0880', '0890', '0920', '0930']

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

const SPEECH_TIMEOUT_MS = 120_000

/** Imports the film in the console, transcribes the import, and photographs the transcript beside the player. */
const photograph = async (haul: DevFile, url: string, file: string): Promise<void> => {
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

/** A screenshot of the console with a film that was imported and transcribed by a running Haul. */
const picture = join(import.meta.dirname, '../../docs/console.png')
const folder = await mkdtemp(join(tmpdir(), 'haul-picture-'))
const film = await makeFilm(folder)
const origin = await startOrigin({ root: folder })
const haul = await startHaul({
  stateDir: join(folder, 'state'),
  env: { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host },
})
try {
  await photograph(haul, `${origin.url}/media/${film}`, picture)
  console.log(picture)
} finally {
  await haul.stop()
  await origin.close()
  await rm(folder, { recursive: true, force: true })
}
