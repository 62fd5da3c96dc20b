import { writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fetchMedia } from '../../../../container/steps/fetch.ts'
import type { AudioOrder, FetchOrder } from '../../../../domain/protocol/protocol.ts'
import { scratchFolder } from '../../../container/audio/recordings.ts'
import { packetsOf } from '../../../container/media/clip/packets.ts'
import { ffmpeg, take } from '../../../container/source/clip/clipping.ts'
import { createStepHarness, prepareAudio, resultOf } from '../../../container/steps/step-harness.ts'
import { sha256 } from '../../../support/sha256.ts'

const folder = scratchFolder()
const web = createStepHarness(folder)

const indexed = ['-movflags', '+dash+global_sidx+frag_keyframe+empty_moov']

/** Films of two minutes and 11 MB, in which a clip is found by the index. */
beforeAll(async () => {
  await take(folder, 'long-film.mp4', 'film.mp4')
  const copies: [name: string, options: string[]][] = [
    ['front.mp4', ['-movflags', '+faststart']],
    ['sidx.mp4', indexed],
    ['film.mkv', []],
  ]
  for (const [name, options] of copies) await ffmpeg(folder, ['-i', 'film.mp4', '-c', 'copy', ...options, name])
  await writeFile(join(folder, 'liar.mp4'), withWrongTimes(await readFile(join(folder, 'sidx.mp4'))))
})

/** The fragments of the middle are said to be later than they are. */
const withWrongTimes = (file: Buffer): Buffer => {
  for (let at = file.indexOf('sidx'); at !== -1; at = file.indexOf('sidx', at + 4)) {
    const references = at + 4 + 28
    for (let entry = 5; entry < 40; entry++) {
      const durationAt = references + 4 + entry * 12 + 4
      const duration = file.readUInt32BE(durationAt)
      file.writeUInt32BE(entry < 15 ? duration * 2 : entry < 25 ? 0 : duration, durationAt)
    }
  }
  return file
}

const clip = { startSeconds: 40.3, endSeconds: 52 }

const imported = async (target: string, includeVideo = true) => {
  await web.start<FetchOrder>('fetch', fetchMedia, {
    url: `${web.origin.url}/media/${target}`,
    selection: { includeVideo, includeAudio: true, videoQuality: '1080p', audioQuality: 'best' },
    clip,
  })
  const { media, facts } = resultOf(web, 'fetch')
  web.fake.outcomes.length = 0
  const path = join(folder, `clip.${facts.extension}`)
  writeFileSync(path, web.fake.stored(media) as Buffer)
  const packets = [...(includeVideo ? packetsOf(path, 'V:0') : []), ...packetsOf(path, 'a:0')]
  return { facts, packets }
}

describe('a clip by ranges', () => {
  // file-clips.test.ts has all kinds of indexes.
  test.each(['front.mp4', 'sidx.mp4', 'film.mkv'])(
    '%s: is what is cut out of the whole file, for a fifth of its bytes',
    async (name) => {
      const part = await imported(name)
      const whole = await imported(`${name}?noRange`)
      expect(part.packets).toEqual(whole.packets)
      expect(part.facts.clip).toEqual(whole.facts.clip)
      expect(part.facts.downloadedBytes).toBeLessThan(whole.facts.downloadedBytes / 5)
      expect([part.facts.note, whole.facts.note]).toEqual([null, expect.stringContaining('whole file')])
    },
  )

  test('without its picture is what is cut out of the whole file', async () => {
    const [part, whole] = [await imported('front.mp4', false), await imported('front.mp4?noRange', false)]
    expect(part.packets).toEqual(whole.packets)
  })

  test('is cut out of the whole file if the index leads to another time, and the bill says so', async () => {
    const [part, whole] = [await imported('liar.mp4'), await imported('liar.mp4?noRange')]
    expect(part.packets).toEqual(whole.packets)
    expect(part.facts.downloadedBytes).toBeGreaterThan(whole.facts.downloadedBytes)
    expect(part.facts.note).toContain('whole file')
  })

  test.each(['front.mp4', 'film.mkv'])('has the sound of the whole file: %s', async (name) => {
    const heard = async (query: string) => {
      await web.start<AudioOrder>('audio', prepareAudio, {
        url: `${web.origin.url}/media/${name}${query}`,
        pieces: { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 },
        clip,
      })
      const { pieces, downloadedBytes, durationSeconds } = resultOf(web, 'audio')
      web.fake.outcomes.length = 0
      const [sound] = pieces.map(({ upload }) => sha256(web.fake.stored(upload) as Buffer))
      return { sound, downloadedBytes, durationSeconds }
    }
    const [part, whole] = [await heard(''), await heard('?noRange')]
    expect({ ...part, downloadedBytes: 0 }).toEqual({ ...whole, downloadedBytes: 0 })
    expect(part.downloadedBytes).toBeLessThan(whole.downloadedBytes / 5)
  })
})
