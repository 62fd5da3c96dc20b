import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareAudio } from '../../../container/steps/audio.ts'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type { AudioFormat, AudioOrder, FetchOrder, Progress } from '../../../domain/protocol/protocol.ts'
import {
  flacThatStates,
  mp3ThatStates,
  mp4OfOnePicture,
  mp4ThatStates,
  webmThatStates,
} from '../../origin/lying-headers.ts'
import { ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { codeOf, createStepHarness, resultOf, type StartOptions } from './step-harness.ts'

const folder = scratchFolder()
const web = createStepHarness(folder)

/** Each has half a minute of sound and states two seconds. */
const lies = ['lie.flac', 'lie.m4a', 'lie.mp3', 'lie.webm'] as const
const SECONDS = 30
const STATED = 2

const made = (name: string, ...args: string[]): Buffer => {
  ffmpeg([...args, join(folder, name)])
  return readFileSync(join(folder, name))
}

beforeAll(() => {
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=44100:duration=${SECONDS}`]
  const save = (name: string, bytes: Buffer) => writeFileSync(join(folder, name), bytes)
  save('lie.flac', flacThatStates(made('a.flac', ...sound), STATED))
  save('lie.m4a', mp4ThatStates(made('a.m4a', ...sound, '-c:a', 'aac'), STATED))
  save('lie.mp3', mp3ThatStates(made('a.mp3', ...sound, '-c:a', 'libmp3lame', '-q:a', '4'), STATED))
  save('lie.webm', webmThatStates(made('a.webm', ...sound, '-c:a', 'libopus'), STATED))
  const noise = ['-f', 'lavfi', '-i', 'nullsrc=size=640x480:rate=1:duration=1,geq=random(1)*255:128:128']
  const film = [...noise, '-f', 'lavfi', '-i', 'sine=duration=1', '-c:v', 'mjpeg', '-q:v', '1', '-c:a', 'aac']
  save('one-picture.mp4', mp4OfOnePicture(made('a.mp4', ...film), 2_000))
})

const transcribe = (name: string, options: StartOptions = {}) => {
  const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
  return web.start<AudioOrder>('audio', prepareAudio, { url: `${web.origin.url}/media/${name}`, pieces }, options)
}

const everything = { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' } as const

const fetchAs = (name: string, audioFormat: AudioFormat, selection: Partial<typeof everything> | object = {}) =>
  web.start<FetchOrder>(
    'fetch',
    fetchMedia,
    { url: `${web.origin.url}/media/${name}`, audioFormat, selection: { ...everything, ...selection } },
    {},
  )

describe.each(lies)('the speech of %s', (name) => {
  test('is as long as what was decoded, and the account is asked before more is decoded than it agreed to', async () => {
    await transcribe(name, {
      behaviour: { agreesTo: ({ durationSeconds, wantedSeconds }) => wantedSeconds ?? durationSeconds },
    })
    const { durationSeconds, pieces } = resultOf(web, 'audio')
    expect(durationSeconds).toBeCloseTo(SECONDS, 0)
    expect(pieces.at(-1)).toMatchObject({ durationSeconds: expect.closeTo(SECONDS, 0) })
    expect(web.fake.progress.some(({ wantedSeconds = 0 }) => wantedSeconds > STATED)).toBe(true)
  })

  test('is decoded further when a report of it arrives, and not before', async () => {
    let lost = 0
    await transcribe(name, {
      behaviour: {
        agreesTo: ({ durationSeconds, wantedSeconds }) => wantedSeconds ?? durationSeconds,
        losesReport: ({ wantedSeconds = 0 }) => wantedSeconds > STATED && lost++ < 2,
      },
    })
    expect(resultOf(web, 'audio').durationSeconds).toBeCloseTo(SECONDS, 0)
    expect(lost).toBeGreaterThan(2)
  })

  test('is not prepared if the account agrees to less', async () => {
    const affordable = 10
    const agreesTo = ({ durationSeconds, wantedSeconds }: Progress) =>
      Math.min(affordable, wantedSeconds ?? durationSeconds ?? 0)
    await transcribe(name, {
      behaviour: { agreesTo, stopWhen: ({ durationSeconds }) => (durationSeconds ?? 0) > affordable },
    })
    expect(web.fake.outcomes).toEqual([])
    expect(web.fake.uploads).toEqual([])
  })
})

test.each([
  ['lie.flac', 'wav'],
  ['lie.flac', 'mp3'],
  ['lie.m4a', 'opus'],
  ['lie.webm', 'm4a'],
] as const)('%s as %s is larger than it states', async (name, format) => {
  await fetchAs(name, format, { includeVideo: false })
  expect(codeOf(web)).toBe('MEDIA_TOO_LARGE')
})

test('the copy of a file is not much larger than the file, however often its samples name the same bytes', async () => {
  const { size } = statSync(join(folder, 'one-picture.mp4'))
  expect(size).toBeLessThan(1_000_000)
  await fetchAs('one-picture.mp4', 'source', { includeAudio: false })
  expect(codeOf(web)).toBe('MEDIA_TOO_LARGE')
})
