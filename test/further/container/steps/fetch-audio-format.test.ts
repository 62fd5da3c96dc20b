import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fetchMedia } from '../../../../container/steps/fetch.ts'
import type { AudioFormat, AudioQuality, FetchOrder } from '../../../../domain/protocol/protocol.ts'
import { scratchFolder } from '../../../container/audio/recordings.ts'
import { codeOf, createStepHarness, resultOf } from '../../../container/steps/step-harness.ts'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { sha256 } from '../../../support/sha256.ts'

const MiB = 1024 * 1024
const web = createStepHarness()
const folder = scratchFolder()

const order = (name: string, audioFormat: AudioFormat, audioQuality: AudioQuality) => ({
  url: `${web.origin.url}/media/${name}`,
  selection: { includeVideo: false, includeAudio: true, videoQuality: 'best' as const, audioQuality },
  audioFormat,
  limits: { maxBytes: 100 * MiB, maxDurationSeconds: 3_600 },
})

const imported = async (name: string, audioFormat: AudioFormat, audioQuality: AudioQuality = 'best') => {
  await web.start<FetchOrder>('fetch', fetchMedia, order(name, audioFormat, audioQuality), {})
  const { media, facts } = resultOf(web, 'fetch')
  const bytes = web.fake.stored(media)
  if (!bytes) throw new Error('the upload is incomplete')
  expect(facts).toMatchObject({ sizeBytes: bytes.length, sha256: sha256(bytes) })
  return { bytes, facts }
}

interface Stream {
  codec_name: string
  sample_rate: string
  channels: number
}

const streamsOf = (bytes: Buffer, extension: string): Stream[] => {
  const path = join(folder, `probed.${extension}`)
  writeFileSync(path, bytes)
  execFileSync('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'])
  const args = ['-v', 'error', '-show_streams', '-of', 'json', path]
  return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })).streams
}

describe('an import with an audio format', () => {
  test.each([
    ['tone.m4a', 'mp3', 'mp3', 'audio/mpeg', 'mp3'],
    ['tone.mp3', 'm4a', 'm4a', 'audio/mp4', 'aac'],
    ['tone.flac', 'opus', 'opus', 'audio/ogg', 'opus'],
    ['tone.ogg', 'wav', 'wav', 'audio/wav', 'pcm_s16le'],
    ['clip.webm', 'mp3', 'mp3', 'audio/mpeg', 'mp3'],
    ['faststart.mp4', 'wav', 'wav', 'audio/wav', 'pcm_s16le'],
  ] as const)('%s as %s is encoded', async (name, format, extension, contentType, audioCodec) => {
    const { bytes, facts } = await imported(name, format)
    expect(facts).toMatchObject({ extension, contentType, audioCodec, videoCodec: null, transcoded: true })
    expect(facts.durationSeconds).toBeCloseTo(6, 0)
    expect(facts.downloadedBytes).toBe(readFileSync(fixture(name)).length)
    expect(streamsOf(bytes, extension)).toMatchObject([{ codec_name: audioCodec }])
  })

  test.each([
    ['tone.mp3', 'mp3'],
    ['tone.m4a', 'm4a'],
    ['tone.wav', 'wav'],
    ['tone.flac', 'source'],
  ] as const)('%s as %s is kept byte for byte', async (name, format) => {
    const { bytes, facts } = await imported(name, format)
    expect(bytes.equals(readFileSync(fixture(name)))).toBe(true)
    expect(facts.transcoded).toBe(false)
  })

  test.each([
    ['tone.webm', 'opus', 'opus', 'opus'],
    ['faststart.mp4', 'm4a', 'm4a', 'aac'],
    ['tone.aac', 'm4a', 'm4a', 'aac'],
  ] as const)('%s as %s is copied, because it has the codec already', async (name, format, extension, audioCodec) => {
    const { bytes, facts } = await imported(name, format)
    expect(facts).toMatchObject({ extension, audioCodec, transcoded: false })
    expect(streamsOf(bytes, extension)).toHaveLength(1)
  })

  test.each(['mp3', 'm4a', 'opus'] as const)(
    'as %s has less than 70 kbit/s in the lowest quality, and more than 100 in the best',
    async (format) => {
      const kilobits = async (quality: AudioQuality) => {
        const { bytes, facts } = await imported('noise.flac', format, quality)
        web.fake.outcomes.length = 0
        return (bytes.length * 8) / facts.durationSeconds / 1_000
      }
      expect(await kilobits('lowest')).toBeLessThan(70)
      expect(await kilobits('best')).toBeGreaterThan(100)
    },
  )

  test.each(['mp3', 'opus', 'wav'] as const)(
    'in surround of a high sample rate is %s in stereo with 48 kHz',
    async (format) => {
      const { bytes } = await imported('surround.flac', format)
      expect(streamsOf(bytes, format)).toMatchObject([{ channels: 2, sample_rate: '48000' }])
    },
  )

  test('of a video without sound fails', async () => {
    await web.start<FetchOrder>('fetch', fetchMedia, order('video-only.mp4', 'mp3', 'best'), {})
    expect(codeOf(web)).toBe('NO_AUDIO')
  })
})
