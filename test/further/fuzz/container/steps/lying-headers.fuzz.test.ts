import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { fetchMedia } from '../../../../../container/steps/fetch.ts'
import type { AudioFormat, AudioOrder, FetchOrder, Progress } from '../../../../../domain/protocol/protocol.ts'
import { ffmpeg, scratchFolder } from '../../../../container/audio/recordings.ts'
import { agree } from '../../../../container/steps/fake-worker.ts'
import { createStepHarness, outcomeOf, prepareAudio } from '../../../../container/steps/step-harness.ts'
import { fieldsOf, withField } from '../../../../doubles/origin/header-fields.ts'
import {
  flacThatStates,
  mp3ThatStates,
  mp4OfOnePicture,
  mp4ThatStates,
  webmThatStates,
} from '../../../../doubles/origin/lying-headers.ts'
import { runs } from '../../../../support/runs.ts'

const folder = scratchFolder()
const web = createStepHarness(folder)

const SECONDS = 8
const names = ['a.m4a', 'a.webm', 'a.flac', 'a.mp3', 'a.ogg', 'a.wav', 'film.mp4', 'one-picture.mp4'] as const
/** Of one-picture.mp4. All of them lie on the same bytes. */
const PICTURES = 200
const originals = new Map<string, Buffer>()

beforeAll(() => {
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`]
  const picture = ['-f', 'lavfi', '-i', `testsrc=size=64x64:rate=5:duration=${SECONDS}`]
  const noise = ['-f', 'lavfi', '-i', 'nullsrc=size=320x240:rate=1:duration=1,geq=random(1)*255:128:128']
  const made: Record<(typeof names)[number], string[]> = {
    'a.m4a': [...sound, '-c:a', 'aac'],
    'a.webm': [...sound, '-c:a', 'libopus'],
    'a.flac': [...sound, '-c:a', 'flac'],
    'a.mp3': [...sound, '-c:a', 'libmp3lame', '-q:a', '6'],
    'a.ogg': [...sound, '-c:a', 'libopus'],
    'a.wav': [...sound, '-ac', '1'],
    'film.mp4': [...sound, ...picture, '-c:v', 'libx264', '-c:a', 'aac'],
    'one-picture.mp4': [...noise, ...sound, '-c:v', 'mjpeg', '-q:v', '1', '-c:a', 'aac'],
  }
  for (const name of names) {
    ffmpeg([...made[name], join(folder, name)])
    const file = readFileSync(join(folder, name))
    originals.set(name, name === 'one-picture.mp4' ? mp4OfOnePicture(file, PICTURES) : file)
  }
})

/** Numbers at which arithmetic goes wrong, and such that are near the truth. */
const change = fc.oneof(
  fc
    .oneof(
      fc.constantFrom(0n, 1n, 2n, 1_000n, 0x7fffffffn, 0xffffffffn, 0x7fffffffffffffffn, 0xffffffffffffffffn),
      fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }),
      fc.bigInt({ min: 0n, max: 100_000n }),
    )
    .map((value) => () => value),
  fc.constantFrom(8n, 4n, 2n).map((part) => (value: bigint) => value / part),
  fc.constantFrom(2n, 8n).map((factor) => (value: bigint) => value * factor),
)

/** Lies that need several fields, which random changes rarely find. */
const shortLies: Partial<Record<(typeof names)[number], (file: Buffer, seconds: number) => Buffer>> = {
  'a.flac': flacThatStates,
  'a.m4a': mp4ThatStates,
  'film.mp4': mp4ThatStates,
  'a.mp3': mp3ThatStates,
  'a.webm': webmThatStates,
}

const lie = fc
  .record({
    name: fc.constantFrom(...names),
    stated: fc.option(fc.double({ min: 0.05, max: SECONDS, noNaN: true })),
    places: fc.array(fc.tuple(fc.nat(), change), { maxLength: 3 }),
  })
  .map(({ name, stated, places }) => {
    const original = originals.get(name) as Buffer
    let bytes = stated === null ? original : (shortLies[name]?.(original, stated) ?? original)
    const fields = fieldsOf(original)
    for (const [place, to] of places) {
      const field = fields[place % fields.length]
      if (field) bytes = withField(bytes, field, to)
    }
    return { name, bytes }
  })

/** It agrees to half a minute. */
const AGREED_SECONDS = 30
const agreesTo = ({ durationSeconds, wantedSeconds }: Progress) =>
  Math.min(AGREED_SECONDS, wantedSeconds ?? durationSeconds ?? AGREED_SECONDS)
const stopWhen = ({ durationSeconds }: Progress) => (durationSeconds ?? 0) > AGREED_SECONDS

const DISK_BYTES = 12_000_000
const PCM_BYTES_PER_SECOND = 32_000

const bytesIn = (name: string, bytes: Buffer) => {
  writeFileSync(join(folder, `lie-${name}`), bytes)
  return `${web.origin.url}/media/lie-${name}`
}

test('no header makes speech that nobody agreed to, and what is recognized is billed', async () => {
  let completed = 0
  await fc.assert(
    fc.asyncProperty(lie, async ({ name, bytes }) => {
      const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
      web.fake.outcomes.length = 0
      await web.start<AudioOrder>(
        'audio',
        prepareAudio,
        { url: bytesIn(name, bytes), pieces },
        {
          behaviour: { agreesTo, stopWhen },
          diskBytes: DISK_BYTES,
        },
      )
      const [outcome] = web.fake.outcomes
      if (outcome?.status !== 'done' || outcome.result.step !== 'audio') return
      completed++
      const { durationSeconds, pieces: made } = outcome.result
      const last = made.at(-1)
      const decoded = last ? last.offsetSeconds + last.durationSeconds : 0
      expect(decoded).toBeLessThanOrEqual(AGREED_SECONDS)
      expect(decoded).toBeLessThanOrEqual(durationSeconds * 1.02 + 1.5 + 0.1)
      expect(decoded * PCM_BYTES_PER_SECOND).toBeLessThanOrEqual(web.reservedBytes)
    }),
    runs(10),
  )
  expect(completed).toBeGreaterThan(0)
})

test('no header makes an import write more than was reserved, or store more than was agreed', async () => {
  let completed = 0
  await fc.assert(
    fc.asyncProperty(lie, fc.constantFrom<AudioFormat>('source', 'mp3', 'wav'), async ({ name, bytes }, format) => {
      web.fake.outcomes.length = 0
      web.fake.progress.length = 0
      const isPicture = name === 'one-picture.mp4'
      const streams = { includeVideo: isPicture, includeAudio: !isPicture }
      const selection = { ...streams, videoQuality: 'best', audioQuality: 'best' } as const
      const audioFormat = isPicture ? 'source' : format
      const order = { url: bytesIn(name, bytes), selection, audioFormat }
      const behaviour = { affordableBytes: DISK_BYTES }
      await web.start<FetchOrder>('fetch', fetchMedia, order, { diskBytes: DISK_BYTES, behaviour })
      const outcome = outcomeOf(web)
      if (outcome.status !== 'done' || outcome.result.step !== 'fetch') return
      completed++
      const { sizeBytes, downloadedBytes, transcoded } = outcome.result.facts
      const isDownload = !transcoded && sizeBytes === downloadedBytes
      expect(isDownload ? sizeBytes : downloadedBytes + sizeBytes).toBeLessThanOrEqual(web.reservedBytes)
      const agreedBytes = Math.max(...web.fake.progress.map((progress) => agree(progress, DISK_BYTES).agreedBytes))
      expect(sizeBytes).toBeLessThanOrEqual(transcoded ? agreedBytes : 2 * downloadedBytes + 1_000_000)
    }),
    runs(10),
  )
  expect(completed).toBeGreaterThan(0)
})
