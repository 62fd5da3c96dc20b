import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { createGuard } from '../../container/egress/guard.ts'
import { createEgress } from '../../container/egress/outlet.ts'
import { probe } from '../../container/media/probe.ts'
import { ownThumbnail, platformThumbnail } from '../../container/media/thumbnail.ts'
import { fixture } from '../origin/fixtures.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { pictureBomb } from './bomb.ts'

const never = new AbortController().signal
let root: string
let folder: string
let origin: Origin
let egress: Egress
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'haul-thumbnail-'))
  origin = await startOrigin()
  egress = await createEgress({ guard: createGuard({ allow: origin.host, lookup: async () => [] }) })
})
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'work-'))
})
afterAll(async () => {
  await egress.close()
  await origin.close()
  await rm(root, { recursive: true, force: true })
})

const ffmpeg = (name: string, ...args: string[]): string => {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, join(folder, name)], { timeout: 60_000 })
  return join(folder, name)
}
const own = async (path: string) => ownThumbnail(await probe(path, never), folder, never)
const facts = (path: string | null) => {
  if (path === null) return null
  const entries = ['-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0']
  return execFileSync('ffprobe', ['-v', 'error', ...entries, path], { encoding: 'utf8' }).trim()
}
const luma = (path: string): number => {
  const pixels = execFileSync('ffmpeg', [
    '-v',
    'error',
    '-i',
    path,
    '-vf',
    'scale=8:8',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'gray',
    '-',
  ])
  return pixels.reduce((sum, pixel) => sum + pixel, 0) / pixels.length
}

describe('of a film', () => {
  test('that begins black, a frame that shows something', async () => {
    const thumbnail = await own(fixture('black-start.mp4'))
    expect(facts(thumbnail)).toBe('mjpeg,640,360')
    expect(luma(thumbnail ?? '')).toBeGreaterThan(40)
  })

  test('that is black but for its first second, that one', async () => {
    const dark = ffmpeg(
      'dark.mp4',
      '-f',
      'lavfi',
      '-i',
      'color=white:s=320x180:r=10:d=1,tpad=stop_duration=9:color=black',
      '-g',
      '10',
    )
    expect(luma((await own(dark)) ?? '')).toBeGreaterThan(200)
  })

  test('that is black all the time, a black frame', async () => {
    const black = ffmpeg('black.mp4', '-f', 'lavfi', '-i', 'color=black:s=320x180:r=10:d=3')
    expect(facts(await own(black))).toBe('mjpeg,320,180')
  })

  test('that is wider than 1280 pixels, one of 1280', async () => {
    const wide = ffmpeg('wide.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=5:d=1', '-preset', 'ultrafast')
    expect(facts(await own(wide))).toBe('mjpeg,1280,720')
  })
})

describe('of a sound', () => {
  test('without a cover, none', async () => expect(await own(fixture('tone.mp3'))).toBeNull())

  test('with a cover, the cover', async () => {
    const inputs = ['-i', fixture('tone.mp3'), '-i', fixture('still.png'), '-map', '0', '-map', '1']
    const song = ffmpeg('song.mp3', ...inputs, '-c', 'copy', '-disposition:v', 'attached_pic')
    expect(facts(await own(song))).toBe('mjpeg,320,180')
  })

  test('with a cover of 16,000 by 16,000 pixels, none', async () => {
    const bomb = join(folder, 'bomb.png')
    await writeFile(bomb, pictureBomb())
    const inputs = ['-i', fixture('tone.mp3'), '-i', bomb, '-map', '0', '-map', '1']
    const song = ffmpeg('song.mp3', ...inputs, '-c', 'copy', '-disposition:v', 'attached_pic')
    expect(await own(song)).toBeNull()
  })
})

describe("the platform's own picture", () => {
  const fetched = (path: string) => platformThumbnail(`${origin.url}${path}`, egress, folder, never)

  test.each([
    ['still.jpg', 'mjpeg,640,360'],
    ['still.png', 'mjpeg,320,180'],
  ])('%s becomes a JPEG', async (name, expected) => expect(facts(await fetched(`/media/${name}`))).toBe(expected))

  test.each([
    ['a page instead of a picture', '/page/video.html'],
    ['a film instead of a picture', '/media/faststart.mp4?type=image/jpeg'],
    ['one that is not there', '/media/nowhere.jpg'],
    ['a refusal', '/media/still.jpg?status=403'],
    ['one of endless size', '/generated/30000000.mp4'],
  ])('%s is done without', async (_title, path) => expect(await fetched(path)).toBeNull())
})
