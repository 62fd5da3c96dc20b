import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fetchMedia } from '../../../../container/steps/fetch.ts'
import type {
  AudioFormat,
  AudioOrder,
  FetchOrder,
  Progress,
  Selection,
  StepLimits,
} from '../../../../domain/protocol/protocol.ts'
import { ffmpeg, scratchFolder } from '../../../container/audio/recordings.ts'
import {
  codeOf,
  createStepHarness,
  prepareAudio,
  resultOf,
  type StartOptions,
} from '../../../container/steps/step-harness.ts'
import {
  flacThatStates,
  mp3ThatStates,
  mp4OfOnePicture,
  mp4ThatStates,
  webmThatStates,
} from '../../../doubles/origin/lying-headers.ts'

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
  // Its length is estimated from the bitrate of its first frames.
  const mp3 = ['-c:a', 'libmp3lame', '-write_xing', '0', '-id3v2_version', '0', '-ar', '44100', '-ac', '1']
  const loud = made('loud.mp3', '-f', 'lavfi', '-i', 'anoisesrc=duration=1', ...mp3, '-b:a', '320k')
  const quiet = made('quiet.mp3', '-f', 'lavfi', '-i', `anullsrc=duration=${2 * SECONDS}`, ...mp3, '-b:a', '32k')
  save('loud-first.mp3', Buffer.concat([loud, quiet]))
  save('lyrics.txt', Buffer.from(`;FFMETADATA1\nlyrics=${'la '.repeat(110_000)}\n`))
  for (const name of ['lyrics.mp3', 'lyrics.m4a']) {
    made(name, '-f', 'lavfi', '-i', 'sine=duration=5', '-i', join(folder, 'lyrics.txt'), '-map_metadata', '1')
  }
})

const transcribe = (name: string, options: StartOptions = {}) => {
  const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
  return web.start<AudioOrder>('audio', prepareAudio, { url: `${web.origin.url}/media/${name}`, pieces }, options)
}

const everything: Selection = {
  includeVideo: true,
  includeAudio: true,
  videoQuality: 'best',
  audioQuality: 'best',
}

const fetchAs = (
  name: string,
  audioFormat: AudioFormat,
  selection: Partial<Selection> = {},
  limits: Partial<StepLimits> = {},
) =>
  web.start<FetchOrder>(
    'fetch',
    fetchMedia,
    { url: `${web.origin.url}/media/${name}`, audioFormat, selection: { ...everything, ...selection }, limits },
    {},
  )

describe('the speech of a file that is longer than it states', () => {
  const name = 'lie.m4a'

  test.each(lies)(
    'is as long as what was decoded, and the account is asked before more is decoded: %s',
    async (name) => {
      await transcribe(name, {
        behaviour: { agreesTo: ({ durationSeconds, wantedSeconds }) => wantedSeconds ?? durationSeconds },
      })
      const { durationSeconds, pieces } = resultOf(web, 'audio')
      expect(durationSeconds).toBeCloseTo(SECONDS, 0)
      expect(pieces.at(-1)).toMatchObject({ durationSeconds: expect.closeTo(SECONDS, 0) })
      expect(web.fake.progress.some(({ wantedSeconds = 0 }) => wantedSeconds > STATED)).toBe(true)
    },
  )

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
    // A second more than was agreed to is decoded, to detect what is longer.
    const decoded = web.fake.progress.map(({ durationSeconds }) => durationSeconds ?? 0)
    expect(Math.max(...decoded)).toBeLessThanOrEqual(affordable + 1.1)
  })

  test('is decoded when the account has agreed to it beside all bytes that have arrived', async () => {
    const answers: { downloadedBytes: number; wantedSeconds: number }[] = []
    await transcribe(name, {
      behaviour: {
        agreesTo: ({ downloadedBytes, durationSeconds, wantedSeconds }) => {
          answers.push({ downloadedBytes, wantedSeconds: wantedSeconds ?? 0 })
          // An answer from before the download would be enough for everything.
          return downloadedBytes === 0 ? 3_600 : (wantedSeconds ?? durationSeconds)
        },
      },
    })
    const { downloadedBytes } = resultOf(web, 'audio')
    expect(answers).toContainEqual({ downloadedBytes, wantedSeconds: expect.closeTo(STATED, 0) })
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

test('a file that is longer than allowed is not re-encoded, whatever length its first frames suggest', async () => {
  await fetchAs('loud-first.mp3', 'wav', { includeVideo: false }, { maxDurationSeconds: SECONDS })
  expect(codeOf(web)).toBe('MEDIA_TOO_LONG')
  expect(web.fake.uploads).toEqual([])
})

test.each([
  ['lyrics.mp3', 'opus'],
  ['lyrics.mp3', 'm4a'],
  ['lyrics.m4a', 'mp3'],
] as const)('%s, which is short and has long lyrics, is re-encoded as %s', async (name, format) => {
  await fetchAs(name, format, { includeVideo: false, audioQuality: 'lowest' })
  expect(resultOf(web, 'fetch').facts).toMatchObject({ transcoded: true, extension: format })
})

test('the copy of a file is not much larger than the file, however often its samples name the same bytes', async () => {
  const { size } = statSync(join(folder, 'one-picture.mp4'))
  expect(size).toBeLessThan(1_000_000)
  await fetchAs('one-picture.mp4', 'source', { includeAudio: false })
  expect(codeOf(web)).toBe('MEDIA_TOO_LARGE')
})
