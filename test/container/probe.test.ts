import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probe } from '../../container/media/probe.ts'
import { fixture } from '../origin/fixtures.ts'
import { pictureBomb } from './bomb.ts'

const never = new AbortController().signal
const look = (path: string) => probe(path, never)
const refusal = (code: string) => expect.objectContaining({ code })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-probe-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ffmpeg = (name: string, ...args: string[]): string => {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, join(folder, name)], { timeout: 60_000 })
  return join(folder, name)
}
const saved = (name: string, bytes: Buffer): string => {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}
const cut = (name: string, fraction: number): string => {
  const whole = readFileSync(fixture(name))
  return saved(`cut-${fraction}-${name}`, whole.subarray(0, Math.floor(whole.length * fraction)))
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
])('%s is %s with %s and %s, six seconds long', async (name, extension, video, audio) => {
  const probed = await look(fixture(name))
  expect([probed.extension, probed.video?.codec ?? null, probed.audio?.codec ?? null]).toEqual([
    extension,
    video,
    audio,
  ])
  expect(probed.durationSeconds).toBeGreaterThan(5.9)
  expect(probed.durationSeconds).toBeLessThan(6.2)
})

test('a film that was held sideways has the size at which it is shown', async () => {
  const path = ffmpeg('turned.mp4', '-i', fixture('faststart.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90')
  expect((await look(path)).video).toEqual({ codec: 'h264', width: 360, height: 640 })
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
])('%s that was cut at %d of its length is found out', async (name, fraction) => {
  await expect(look(cut(name, fraction))).rejects.toEqual(refusal('SOURCE_TRUNCATED'))
})

describe('refused', () => {
  test('an empty file', () =>
    expect(look(saved('empty.mp4', Buffer.alloc(0)))).rejects.toEqual(refusal('SOURCE_TRUNCATED')))

  test.each([
    ['a web page', '<!doctype html><title>No media</title><p>Sorry.'],
    ['a playlist, which would name other files', '#EXTM3U\n#EXTINF:6,\n/etc/passwd\n'],
    ['a list of files for concatenation', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
    ['words', 'Just some words. '.repeat(1_000)],
  ])('%s', (title, text) =>
    expect(look(saved(`${title}.mp4`, Buffer.from(text)))).rejects.toEqual(refusal('SOURCE_UNSUPPORTED')),
  )

  test('noise', async () => {
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7_919 * index) & 0xff))
    await expect(look(saved('noise.mp3', noise))).rejects.toEqual(refusal('SOURCE_UNSUPPORTED'))
  })

  test.each(['still.jpg', 'still.png'])('a picture (%s)', (name) =>
    expect(look(fixture(name))).rejects.toEqual(refusal('SOURCE_UNSUPPORTED')),
  )

  test('a picture of 16,000 by 16,000 pixels that calls itself a film', async () => {
    const bomb = saved('bomb.png', pictureBomb())
    const film = ffmpeg('bomb.mov', '-i', bomb, '-c', 'copy')
    await expect(look(film)).rejects.toEqual(refusal('SOURCE_UNSUPPORTED'))
  })
})

test('a cover is no film: the file is a sound', async () => {
  const cover = ['-i', fixture('tone.mp3'), '-i', fixture('still.jpg'), '-map', '0', '-map', '1', '-c', 'copy']
  const probed = await look(ffmpeg('cover.mp3', ...cover, '-disposition:v', 'attached_pic'))
  expect([probed.video, probed.extension, probed.coverStream]).toEqual([null, 'mp3', 1])
})

test('of segments in a row only the streams are asked for', async () => {
  const probed = await probe(cut('clip.ts', 0.5), never, { endUnknown: true })
  expect([probed.extension, probed.video?.codec, probed.audio?.codec]).toEqual(['ts', 'h264', 'aac'])
})
