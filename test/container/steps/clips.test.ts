import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type { FetchOrder, Selection } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../origin/fixtures.ts'
import { sha256 } from '../../sha256.ts'
import { scratchFolder } from '../audio/recordings.ts'
import { type Packet, packetsOf, runIn } from '../media/packets.ts'
import { codeOf, createStepHarness, type OrderFields, python, resultOf } from './step-harness.ts'

/** The films have twelve seconds, 25 pictures each second, and a keyframe every two seconds. */
const web = createStepHarness()
const folder = scratchFolder()

interface Options {
  selection?: Partial<Selection>
  limits?: OrderFields<FetchOrder>['limits']
}

const everything: Selection = { includeVideo: true, includeAudio: true, videoQuality: '1080p', audioQuality: 'best' }

const start = (path: string, [from, to]: [number | null, number | null], { selection, limits }: Options = {}) =>
  web.start<FetchOrder>('fetch', fetchMedia, {
    url: `${web.origin.url}/media/${path}`,
    selection: { ...everything, ...selection },
    clip: { startSeconds: from, endSeconds: to },
    ...(limits && { limits }),
  })

const clipped = async (path: string, times: [number | null, number | null], options?: Options) => {
  await start(path, times, options)
  const { media, thumbnail, facts } = resultOf(web, 'fetch')
  const bytes = web.fake.stored(media) as Buffer
  expect(facts.sizeBytes).toBe(bytes.length)
  expect(facts.sha256).toBe(sha256(bytes))
  const file = join(folder, `clip.${facts.extension}`)
  writeFileSync(file, bytes)
  expect(execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-'], { encoding: 'utf8' })).toBe('')
  return { file, facts, thumbnail: thumbnail && web.fake.stored(thumbnail) }
}

/** The whole media, copied into the same container as its clip. */
const wholeCopy = (path: string, extension: string): string => {
  const file = join(folder, `whole.${extension}`)
  const allowed = ['-allowed_extensions', 'ALL', '-protocol_whitelist', 'file,crypto,data']
  const input = path.endsWith('.m3u8') ? [...allowed, '-i', fixture(path)] : ['-i', fixture(path)]
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, '-c', 'copy', file])
  return file
}

const shown = (packets: Packet[]) => packets.map(({ pts }) => pts).toSorted((a, b) => a - b)

/** Compares a clip with the whole media, packet by packet. Returns how much later its sound starts than its picture. */
const compare = (clip: string, whole: string) => {
  const [pictures, sounds] = [packetsOf(clip, 'V:0'), packetsOf(clip, 'a:0')]
  const [allPictures, allSounds] = [packetsOf(whole, 'V:0'), packetsOf(whole, 'a:0')]
  const [firstPicture, firstSound] = [runIn(pictures, allPictures), runIn(sounds, allSounds)]
  expect(firstPicture).toBeGreaterThanOrEqual(0)
  expect(firstSound).toBeGreaterThanOrEqual(0)
  expect(pictures[0]?.isKey).toBe(true)
  const shift = (allPictures[firstPicture]?.pts ?? 0) - (pictures[0]?.pts ?? 0)
  for (const [index, { pts }] of pictures.entries()) {
    expect(pts + shift).toBeCloseTo(allPictures[firstPicture + index]?.pts ?? 0, 2)
  }
  for (const [index, { pts }] of sounds.entries()) {
    expect(pts + shift).toBeCloseTo(allSounds[firstSound + index]?.pts ?? 0, 2)
  }
  return { shift, pictures: shown(pictures), sounds: shown(sounds) }
}

describe('a clip of a file', () => {
  test.each([
    ['film.mp4', 'mp4'],
    ['film-fragmented.mp4', 'mp4'],
    ['film.mkv', 'mkv'],
    ['film.webm', 'webm'],
    ['film.ts', 'mp4'],
    ['film.flv', 'mp4'],
  ])('%s has the packets of the whole file, from the keyframe before its start', async (name, extension) => {
    const { file, facts, thumbnail } = await clipped(name, [5, 9])
    expect(facts.extension).toBe(extension)
    expect(facts.clip).toMatchObject({ startSeconds: 5, endSeconds: 9 })
    expect(facts.clip?.actualStartSeconds).toBeCloseTo(4, 0.8)
    const { pictures, sounds } = compare(file, wholeCopy(name, extension))
    expect(pictures[0]).toBeCloseTo(0, 2)
    expect(sounds[0]).toBeLessThan(0.03)
    expect(facts.durationSeconds).toBeCloseTo(5, 0.9)
    expect(thumbnail?.subarray(0, 2)).toEqual(Buffer.of(0xff, 0xd8))
  })
})
