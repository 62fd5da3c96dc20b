import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { planFileClip } from '../../../../../container/source/clip/file-clip.ts'
import { scratchFolder } from '../../../../container/audio/recordings.ts'
import {
  bothStreams,
  clipPackets,
  downloadClip,
  ffmpeg,
  renditionOf,
  sizeOf,
  soundOnly,
  take,
} from '../../../../container/source/clip/clipping.ts'
import { anOrigin, never } from '../../../../container/source/downloading.ts'
import { fixture } from '../../../../doubles/origin/fixtures.ts'
import { runs } from '../../../../support/runs.ts'

const folder = scratchFolder()

beforeAll(() => take(folder, 'long-film.mp4', 'film.mp4'))

/** The film as other muxers write it. */
const make = async (name: string, options: string[], inputs = ['-i', 'film.mp4']) => {
  await ffmpeg(folder, [...inputs, '-c', 'copy', ...options, name])
  return join(folder, name)
}

const late = ['-i', 'film.mp4', '-itsoffset', '1.7', '-i', 'film.mp4']
const loopedWebm = ['-stream_loop', '40', '-i', fixture('clip.webm')]
const fragments = '+frag_keyframe+empty_moov+default_base_moof'

/** 44,100 Hz and two channels of 16 bits: 21 MB. */
const pcm = ['-vn', '-c:a', 'pcm_s16le', '-ac', '2']
const noise = (extension: string) => ['-i', fixture(`long-noise.${extension}`)]

describe('a clip of a file has exactly the packets that ffmpeg copies from the whole file', () => {
  test.each<[title: string, name: string, options: string[], inputs?: string[]]>([
    ['MP4 with its index at the end', 'end.mp4', []],
    ['MP4 with its index at the beginning', 'start.mp4', ['-movflags', '+faststart']],
    ['QuickTime', 'quick.mov', []],
    ['MP4 without an edit list', 'unedited.mp4', ['-use_editlist', '0']],
    ['MP4 with sound that starts late', 'late.mp4', ['-map', '0:v', '-map', '1:a'], late],
    ['MP4 with two tracks of sound', 'two.mp4', ['-map', '0:v', '-map', '0:a', '-map', '0:a']],
    ['MP4 whose times start at 30 seconds', 'offset.mp4', ['-output_ts_offset', '30']],
    ['MP4 with an index of its fragments at the beginning', 'sidx.mp4', ['-movflags', `+dash+global_sidx${fragments}`]],
    ['MP4 with an index of its fragments at the end', 'mfra.mp4', ['-movflags', fragments]],
    ['Matroska', 'film.mkv', []],
    ['Matroska with its Cues at the beginning', 'front.mkv', ['-cues_to_front', '1']],
    ['Matroska with short clusters', 'short.mkv', ['-cluster_time_limit', '700']],
    ['Matroska with long clusters', 'long.mkv', ['-cluster_time_limit', '9000']],
    ['Matroska whose times start at 30 seconds', 'offset.mkv', ['-output_ts_offset', '30']],
    ['WebM', 'film.webm', [], loopedWebm],
    ['sound in MP4', 'sound.m4a', [], noise('m4a')],
    ['sound in Matroska', 'sound.mka', [], noise('m4a')],
    ['WAV', 'sound.wav', pcm],
  ])('%s', async (_title, name, options, inputs) => {
    const whole = await make(name, options, inputs)
    const { origin, egress } = await anOrigin(folder)
    const clip = { startSeconds: 40.3, endSeconds: 52.1 }
    const downloaded = await downloadClip(`${origin.url}/media/${name}`, clip, egress)
    expect(downloaded).toMatchObject({ isComplete: true, writtenBytes: downloaded?.plan.downloadBytes })
    if (!downloaded) return
    expect(await clipPackets(downloaded.path, clip)).toEqual(await clipPackets(whole, clip))
    expect(await sizeOf(downloaded.path)).toBe(await sizeOf(whole))
    expect(downloaded.plan.downloadBytes).toBeLessThan(downloaded.plan.fileBytes / 3)
    await downloaded.remove()
  })

  test.each(['start.mp4', 'sidx.mp4', 'film.mkv'])('only the sound, up to the end: %s', async (name) => {
    const { origin, egress } = await anOrigin(folder)
    const clip = { startSeconds: 107, endSeconds: null }
    const downloaded = await downloadClip(`${origin.url}/media/${name}`, clip, egress, soundOnly)
    expect(downloaded).toMatchObject({ isComplete: true })
    if (!downloaded) return
    expect(await clipPackets(downloaded.path, clip, soundOnly)).toEqual(
      await clipPackets(join(folder, name), clip, soundOnly),
    )
    await downloaded.remove()
  })
})

test('wherever a clip starts and ends, and however far keyframes are apart, its packets are those of the whole file', async () => {
  const { origin, egress } = await anOrigin(folder)
  const gops = [1, 37, 500]
  for (const gop of gops) await take(folder, `film-gop-${gop}.mp4`, `gop-${gop}.mp4`)
  for (const gop of gops) await make(`gop-${gop}.mkv`, [], ['-i', `gop-${gop}.mp4`])
  const names = gops.flatMap((gop) => [`gop-${gop}.mp4`, `gop-${gop}.mkv`])
  const start = fc.double({ min: 0, max: 58, noNaN: true })
  const length = fc.double({ min: 0.05, max: 20, noNaN: true })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), start, length, fc.boolean(), async (name, start, length, isSound) => {
      const startSeconds = Number(start.toFixed(3))
      const clip = { startSeconds, endSeconds: Number((startSeconds + length).toFixed(3)) }
      const streams = isSound ? soundOnly : bothStreams
      const downloaded = await downloadClip(`${origin.url}/media/${name}`, clip, egress, streams)
      // Nothing is left out of a file with hardly any keyframes.
      if (!downloaded) return
      expect(downloaded.isComplete).toBe(true)
      expect(await clipPackets(downloaded.path, clip, streams)).toEqual(
        await clipPackets(join(folder, name), clip, streams),
      )
      await downloaded.remove()
    }),
    runs(12),
  )
})

describe('a file whose clip cannot be found by its index, or not be fetched in parts, has to be downloaded as a whole', () => {
  const clip = { startSeconds: 40, endSeconds: 50 }
  const planned = async (target: string) => {
    const { origin, egress } = await anOrigin(folder)
    const context = { egress, signal: never, streams: bothStreams }
    return { plan: await planFileClip(renditionOf(`${origin.url}/media/${target}`), clip, context), origin }
  }

  test.each<[title: string, name: string, options: string[], inputs?: string[]]>([
    ['Matroska without Cues', 'live.mkv', ['-live', '1']],
    ['a fragmented MP4 without an index', 'bare.mp4', ['-movflags', `${fragments}+skip_trailer`]],
    ['MP3', 'sound.mp3', [], noise('mp3')],
    ['FLAC', 'sound.flac', [], noise('flac')],
    ['MPEG-TS', 'film.ts', []],
  ])('%s: less than 2.5 MB are sent', async (_title, name, options, inputs) => {
    await make(name, options, inputs)
    const { plan, origin } = await planned(name)
    expect(plan).toBeNull()
    expect(origin.sentBytes).toBeLessThan(2_500_000)
  })

  test.each([
    ['an origin without ranges', 'noRange'],
    ['an origin that does not say which version of the file it serves', 'validator=none'],
    ['an origin that sends other ranges', 'wrongRange'],
  ])('%s', async (_title, query) => {
    expect((await planned(`film.mp4?${query}`)).plan).toBeNull()
  })

  test('a small file, which arrives with the first response', async () => {
    await take(folder, 'film-of-five-seconds.mp4', 'small.mp4')
    expect((await planned('small.mp4')).plan).toBeNull()
  })
})

describe('a clip is refused', () => {
  test.each(['film.mp4', 'front.mkv', 'sidx.mp4'])('that starts after the end of the media: %s', async (name) => {
    const { origin, egress } = await anOrigin(folder)
    const context = { egress, signal: never, streams: bothStreams }
    const plan = planFileClip(
      renditionOf(`${origin.url}/media/${name}`),
      { startSeconds: 500, endSeconds: null },
      context,
    )
    await expect(plan).rejects.toMatchObject({ code: 'CLIP_OUT_OF_RANGE' })
  })

  test.each([1, 2, 3])('of a file that changes after %i requests', async (requests) => {
    const { origin, egress } = await anOrigin(folder)
    const url = `${origin.url}/media/film.mp4?etagChanges=${requests}`
    const result = downloadClip(url, { startSeconds: 20, endSeconds: 100 }, egress)
    await expect(result).rejects.toMatchObject({ code: 'SOURCE_TRUNCATED' })
  })
})

test('a clip of a file whose index is damaged is that of the whole file, or is known to be incomplete', async () => {
  const { origin, egress } = await anOrigin(folder)
  const originals = { 'start.mp4': 0.01, 'front.mkv': 0.0006, 'sidx.mp4': 0.0003 }
  const clip = { startSeconds: 40.3, endSeconds: 44 }
  const damage = fc.array(fc.tuple(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.nat(255)), {
    minLength: 1,
    maxLength: 3,
  })
  const outcomes = { none: 0, incomplete: 0, same: 0 }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.entries(originals)), damage, async ([name, share], places) => {
      const bytes = await readFile(join(folder, name))
      for (const [place, byte] of places) bytes[Math.floor(place * share * bytes.length)] = byte
      await writeFile(join(folder, `damaged-${name}`), bytes)
      const downloaded = await downloadClip(`${origin.url}/media/damaged-${name}`, clip, egress).catch(() => null)
      if (!downloaded?.isComplete) {
        outcomes[downloaded ? 'incomplete' : 'none']++
        await downloaded?.remove()
        return
      }
      outcomes.same++
      const [own, ofWhole] = [downloaded.path, join(folder, `damaged-${name}`)].map((path) =>
        clipPackets(path, clip).catch((error) => error.code),
      )
      expect(await own).toEqual(await ofWhole)
      await downloaded.remove()
    }),
    runs(15),
  )
  expect(outcomes.same).toBeGreaterThan(0)
})
