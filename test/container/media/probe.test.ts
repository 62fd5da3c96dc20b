import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { probe } from '../../../container/media/probe.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { imageBomb } from './bomb.ts'

const never = new AbortController().signal
const probed = (path: string) => probe(path, never)
const failure = (code: string) => expect.objectContaining({ code })

const folder = scratchFolder()

const made = (name: string, ...args: string[]): string => {
  ffmpeg([...args, join(folder, name)])
  return join(folder, name)
}
const saved = (name: string, bytes: Buffer): string => {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}
const truncated = (name: string, fraction: number): string => {
  const whole = readFileSync(fixture(name))
  return saved(`truncated-${fraction}-${name}`, whole.subarray(0, Math.floor(whole.length * fraction)))
}

test.each([
  ['faststart.mp4', 'mp4', 'h264', 'aac'],
  ['tail-index.mp4', 'mp4', 'h264', 'aac'],
  ['fragmented.mp4', 'mp4', 'h264', 'aac'],
  ['video-only.mp4', 'mp4', 'h264', null],
  ['clip.mov', 'mov', 'h264', 'aac'],
  ['clip.mkv', 'mkv', 'h264', 'aac'],
  ['clip.webm', 'webm', 'vp8', 'opus'],
  ['clip.ts', 'ts', 'h264', 'aac'],
  ['clip.flv', 'flv', 'h264', 'aac'],
  ['clip.avi', 'avi', 'h264', 'aac'],
  ['tone.m4a', 'm4a', null, 'aac'],
  ['tone.aac', 'aac', null, 'aac'],
  ['tone.mp3', 'mp3', null, 'mp3'],
  ['untagged.mp3', 'mp3', null, 'mp3'],
  ['tone.flac', 'flac', null, 'flac'],
  ['tone.wav', 'wav', null, 'pcm_s16le'],
  ['tone.ogg', 'opus', null, 'opus'],
])('%s is %s with video %s and audio %s, six seconds long', async (name, extension, video, audio) => {
  const file = await probed(fixture(name))
  expect([file.extension, file.video?.codec ?? null, file.audio?.codec ?? null]).toEqual([extension, video, audio])
  expect(file.durationSeconds).toBeGreaterThan(5.9)
  expect(file.durationSeconds).toBeLessThan(6.2)
})

test('a complete file whose last packet is a frame that is shown before others', async () => {
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=0.5:duration=60', '-pix_fmt', 'yuv420p']
  const slow = made('slow.mp4', ...pictures, '-c:v', 'libx264', '-bf', '8', '-b_strategy', '0')
  expect((await probed(slow)).durationSeconds).toBe(60)
})

test('a rotated video has the size at which it is displayed', async () => {
  const path = made('rotated.mp4', '-i', fixture('faststart.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90')
  expect((await probed(path)).video).toEqual({ codec: 'h264', width: 360, height: 640 })
})

test.each([
  ['faststart.mp4', 0.6],
  ['faststart.mp4', 0.95],
  ['tail-index.mp4', 0.6],
  ['fragmented.mp4', 0.6],
  ['clip.mov', 0.6],
  ['clip.mkv', 0.6],
  ['clip.webm', 0.6],
  ['clip.flv', 0.6],
  ['clip.avi', 0.6],
  ['tone.m4a', 0.6],
  ['tone.mp3', 0.6],
  ['tone.flac', 0.6],
  ['tone.wav', 0.6],
])('%s truncated to %d of its size fails with SOURCE_TRUNCATED', async (name, fraction) => {
  await expect(probed(truncated(name, fraction))).rejects.toEqual(failure('SOURCE_TRUNCATED'))
})

describe('unsupported or empty files are refused:', () => {
  test('an empty file', () =>
    expect(probed(saved('empty.mp4', Buffer.alloc(0)))).rejects.toEqual(failure('SOURCE_TRUNCATED')))

  test.each([
    ['a web page', '<!doctype html><title>No media</title><p>Sorry.'],
    ['a playlist, because it names other files', '#EXTM3U\n#EXTINF:6,\n/etc/passwd\n'],
    ['an ffconcat list of files', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
    ['plain text', 'Just some words. '.repeat(1_000)],
  ])('%s', (title, text) =>
    expect(probed(saved(`${title}.mp4`, Buffer.from(text)))).rejects.toEqual(failure('SOURCE_UNSUPPORTED')),
  )

  test('noise', async () => {
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7_919 * index) & 0xff))
    await expect(probed(saved('noise.mp3', noise))).rejects.toEqual(failure('SOURCE_UNSUPPORTED'))
  })

  test.each(['still.jpg', 'still.png'])('an image (%s)', (name) =>
    expect(probed(fixture(name))).rejects.toEqual(failure('SOURCE_UNSUPPORTED')),
  )

  test('an image of 16,000 × 16,000 pixels in a video container', async () => {
    const bomb = saved('bomb.png', imageBomb())
    const video = made('bomb.mov', '-i', bomb, '-c', 'copy')
    await expect(probed(video)).rejects.toEqual(failure('SOURCE_UNSUPPORTED'))
  })
})

test('a file with cover art and audio is an audio file', async () => {
  const cover = ['-i', fixture('tone.mp3'), '-i', fixture('still.jpg'), '-map', '0', '-map', '1', '-c', 'copy']
  const file = await probed(made('cover.mp3', ...cover, '-disposition:v', 'attached_pic'))
  expect([file.video, file.extension, file.coverStream]).toEqual([null, 'mp3', 1])
})

test('the end of concatenated segments is not checked', async () => {
  const file = await probe(truncated('clip.ts', 0.5), never, { endUnknown: true })
  expect([file.extension, file.video?.codec, file.audio?.codec]).toEqual(['ts', 'h264', 'aac'])
})
