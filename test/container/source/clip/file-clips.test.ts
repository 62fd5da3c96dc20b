import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anOrigin } from '../downloading.ts'
import { bothStreams, downloadClip, ffmpeg, makeVideo, packetsOf, sizeOf, soundOnly } from './clipping.ts'

const folder = mkdtempSync(join(tmpdir(), 'haul-clips-'))
afterAll(() => rm(folder, { recursive: true }))

beforeAll(() => makeVideo(folder, 'film.mp4'))

/** The film with other muxers and their options. */
const make = async (name: string, options: string[], inputs = ['-i', 'film.mp4']) => {
  await ffmpeg(folder, [...inputs, '-c', 'copy', ...options, name])
  return join(folder, name)
}

const fragmented = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof']

describe('a clip of a file has exactly the packets that ffmpeg copies from the whole file', () => {
  test.each<[title: string, name: string, options: string[], inputs?: string[]]>([
    ['MP4 with its index at the end', 'end.mp4', []],
    ['MP4 with its index at the beginning', 'start.mp4', ['-movflags', '+faststart']],
    ['QuickTime', 'quick.mov', []],
    ['MP4 without an edit list', 'unedited.mp4', ['-use_editlist', '0']],
    ['MP4 with sound that starts late', 'late.mp4', ['-map', '0:v', '-map', '1:a'], ['-i', 'film.mp4', '-itsoffset', '1.7', '-i', 'film.mp4']],
    ['MP4 with 64-bit offsets', 'long.mp4', ['-movflags', '+faststart', '-flags', '+bitexact']],
    ['MP4 with two tracks of sound', 'two.mp4', ['-map', '0:v', '-map', '0:a', '-map', '0:a']],
    ['MP4 whose times start at 30 seconds', 'offset.mp4', ['-output_ts_offset', '30']],
    ['MP4 with an index of its fragments at the beginning', 'sidx.mp4', ['-movflags', '+dash+global_sidx+frag_keyframe+empty_moov']],
    ['MP4 with an index of its fragments at the end', 'mfra.mp4', fragmented],
    ['Matroska', 'film.mkv', []],
    ['Matroska with its Cues at the beginning', 'front.mkv', ['-cues_to_front', '1']],
    ['Matroska with short clusters', 'short.mkv', ['-cluster_time_limit', '700']],
    ['Matroska whose times start at 30 seconds', 'offset.mkv', ['-output_ts_offset', '30']],
    ['sound in MP4', 'sound.m4a', ['-vn']],
  ])('%s', async (_title, name, options, inputs) => {
    const whole = await make(name, options, inputs)
    const { origin, egress } = await anOrigin(folder)
    for (const clip of [
      { startSeconds: 40.3, endSeconds: 52.1 },
      { startSeconds: null, endSeconds: 5 },
      { startSeconds: 107, endSeconds: null },
      { startSeconds: 60, endSeconds: 60.04 },
    ]) {
      const downloaded = await downloadClip(`${origin.url}/media/${name}`, clip, egress)
      console.log(name, clip, (await sizeOf(whole)), downloaded?.plan.downloadBytes, downloaded?.isComplete, downloaded?.plan.completeFromSeconds)
      if (!downloaded) continue
      expect.soft(downloaded.isComplete).toBe(true)
      expect.soft(downloaded.writtenBytes).toBe(downloaded.plan.downloadBytes)
      expect.soft(await packetsOf(downloaded.path, clip)).toEqual(await packetsOf(whole, clip))
      expect.soft(await packetsOf(downloaded.path, clip, soundOnly)).toEqual(await packetsOf(whole, clip, soundOnly))
      await downloaded.remove()
    }
    expect(bothStreams).toBeTruthy()
  })
})
