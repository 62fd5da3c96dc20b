import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createEgress, type Egress } from '../../../../container/egress/egress.ts'
import { createGuard } from '../../../../container/egress/guard.ts'
import { probe } from '../../../../container/media/probe.ts'
import { extractThumbnail, platformThumbnail } from '../../../../container/media/thumbnail.ts'
import { ffmpeg, scratch } from '../../../container/audio/recordings.ts'
import { imageBomb } from '../../../container/media/bomb.ts'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { type Origin, startOrigin } from '../../../doubles/origin/origin.ts'

const never = new AbortController().signal
let folder: string
let origin: Origin
let egress: Egress
beforeAll(async () => {
  origin = await startOrigin()
  egress = createEgress({ guard: createGuard({ allow: origin.host, lookup: async () => [] }) })
})
beforeEach(() => {
  folder = scratch()
})
afterAll(async () => {
  await egress.close()
  await origin.close()
})

const made = (name: string, ...args: string[]): string => {
  ffmpeg([...args, join(folder, name)])
  return join(folder, name)
}
const extracted = async (path: string) => extractThumbnail(await probe(path, never), folder, never)
const facts = (path: string | null) => {
  if (path === null) return null
  const entries = ['-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0']
  return execFileSync('ffprobe', ['-v', 'error', ...entries, path], { encoding: 'utf8' }).trim()
}
const luma = (path: string): number => {
  const pixels = ffmpeg(['-i', path, '-vf', 'scale=8:8', '-f', 'rawvideo', '-pix_fmt', 'gray', '-'])
  return pixels.reduce((sum, pixel) => sum + pixel, 0) / pixels.length
}

describe('the thumbnail of a video', () => {
  test('that starts black is a frame that is not black', async () => {
    const thumbnail = await extracted(fixture('black-start.mp4'))
    expect(facts(thumbnail)).toBe('mjpeg,640,360')
    expect(luma(thumbnail ?? '')).toBeGreaterThan(40)
  })

  test('that is black after its first second is a frame of that second', async () => {
    const film = 'color=white:s=320x180:r=10:d=1,tpad=stop_duration=9:color=black'
    const dark = made('dark.mp4', '-f', 'lavfi', '-i', film, '-g', '10')
    expect(luma((await extracted(dark)) ?? '')).toBeGreaterThan(200)
  })

  test('that is black throughout is a black frame', async () => {
    const black = made('black.mp4', '-f', 'lavfi', '-i', 'color=black:s=320x180:r=10:d=3')
    expect(facts(await extracted(black))).toBe('mjpeg,320,180')
  })

  test('wider than 1280 pixels is scaled to 1280', async () => {
    const wide = made('wide.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=5:d=1', '-preset', 'ultrafast')
    expect(facts(await extracted(wide))).toBe('mjpeg,1280,720')
  })
})

describe('the thumbnail of an audio file', () => {
  test('without cover art is null', async () => expect(await extracted(fixture('tone.mp3'))).toBeNull())

  test('with cover art is the cover art', async () => {
    const inputs = ['-i', fixture('tone.mp3'), '-i', fixture('still.png'), '-map', '0', '-map', '1']
    const song = made('song.mp3', ...inputs, '-c', 'copy', '-disposition:v', 'attached_pic')
    expect(facts(await extracted(song))).toBe('mjpeg,320,180')
  })

  test('with cover art of 16,000 × 16,000 pixels is null', async () => {
    const bomb = join(folder, 'bomb.png')
    await writeFile(bomb, imageBomb())
    const inputs = ['-i', fixture('tone.mp3'), '-i', bomb, '-map', '0', '-map', '1']
    const song = made('song.mp3', ...inputs, '-c', 'copy', '-disposition:v', 'attached_pic')
    expect(await extracted(song)).toBeNull()
  })
})

describe("the platform's thumbnail", () => {
  const fetchThumbnail = (path: string) =>
    platformThumbnail(`${origin.url}${path}`, { egress, workDir: folder, signal: never })

  test('is stored as it is if it is a small JPEG', async () => {
    const stored = readFileSync((await fetchThumbnail('/media/still.jpg')) ?? '')
    expect(stored.equals(readFileSync(fixture('still.jpg')))).toBe(true)
  })

  test('is converted if it is another picture', async () =>
    expect(facts(await fetchThumbnail('/media/still.png'))).toBe('mjpeg,320,180'))

  test('is scaled if it is too wide', async () => {
    made('wide.jpg', '-i', fixture('still.jpg'), '-vf', 'scale=1920:-2')
    const wide = await startOrigin({ root: folder })
    const guard = createGuard({ allow: wide.host, lookup: async () => [] })
    const egress = createEgress({ guard })
    const thumbnail = platformThumbnail(`${wide.url}/media/wide.jpg`, { egress, workDir: folder, signal: never })
    expect(facts(await thumbnail.finally(() => Promise.all([egress.close(), wide.close()])))).toBe('mjpeg,1280,720')
  })

  test.each([
    ['a page instead of an image', '/page/video.html'],
    ['a video instead of an image', '/media/faststart.mp4?type=image/jpeg'],
    ['a missing image', '/media/nowhere.jpg'],
    ['a 403', '/media/still.jpg?status=403'],
    ['an image above the size limit', '/generated/30000000.mp4'],
  ])('is null for %s', async (_title, path) => expect(await fetchThumbnail(path)).toBeNull())
})
