import { describe, expect, test } from 'vitest'
import { chooseRenditions } from '../../../container/media/choose-quality.ts'
import type { Rendition } from '../../../container/source/source.ts'
import type { Selection } from '../../../domain/protocol/protocol.ts'

const rendition = (id: string, facts: Partial<Rendition> = {}): Rendition => ({
  id,
  container: null,
  videoCodec: null,
  audioCodec: null,
  width: null,
  height: null,
  bitrate: null,
  audioBitrate: null,
  sizeBytes: null,
  sizeIsEstimate: false,
  language: null,
  preference: 0,
  transport: { kind: 'file', url: `http://origin/${id}`, headers: {} },
  ...facts,
})

const muxed = (id: string, height: number | null, facts: Partial<Rendition> = {}) =>
  rendition(id, { videoCodec: 'avc1.4d401f', audioCodec: 'mp4a.40.2', height, ...facts })
const video = (id: string, height: number, videoCodec = 'avc1.640028', facts: Partial<Rendition> = {}) =>
  rendition(id, { videoCodec, height, ...facts })
const audio = (id: string, kilobits: number | null, audioCodec = 'mp4a.40.2', facts: Partial<Rendition> = {}) =>
  rendition(id, { audioCodec, bitrate: kilobits && kilobits * 1000, ...facts })

const selectionOf = (selection: Partial<Selection> = {}): Selection => ({
  includeVideo: true,
  includeAudio: true,
  videoQuality: '1080p',
  audioQuality: 'best',
  ...selection,
})
const ids = (renditions: Rendition[], selection: Partial<Selection> = {}) =>
  chooseRenditions(renditions, selectionOf(selection)).map(({ id }) => id)

describe('a resolution selects the highest rendition up to it, else the lowest above it:', () => {
  const ladder = [muxed('240', 240), muxed('480', 480), muxed('720', 720), muxed('2160', 2160)]
  test.each([
    ['lowest', '240'],
    ['144p', '240'],
    ['240p', '240'],
    ['360p', '240'],
    ['480p', '480'],
    ['720p', '720'],
    ['1080p', '720'],
    ['1440p', '720'],
    ['2160p', '2160'],
    ['best', '2160'],
  ] as const)('%s selects %s', (videoQuality, id) => expect(ids(ladder, { videoQuality })).toEqual([id]))

  test('a portrait video is measured by its shorter side', () => {
    const portrait = [muxed('1080', 1920, { width: 1080 }), muxed('720', 1280, { width: 720 })]
    expect(ids(portrait, { videoQuality: '1080p' })).toEqual(['1080'])
  })

  test('at the same resolution the highest bitrate wins, and for lowest the lowest bitrate', () => {
    const twins = [muxed('thin', 720, { bitrate: 1e6 }), muxed('thick', 720, { bitrate: 3e6 })]
    expect(ids(twins)).toEqual(['thick'])
    expect(ids(twins, { videoQuality: 'lowest' })).toEqual(['thin'])
  })

  test('without known resolutions the bitrate decides', () => {
    const unknown = [muxed('thin', null, { bitrate: 1e6 }), muxed('thick', null, { bitrate: 3e6 })]
    expect(ids(unknown, { videoQuality: 'best' })).toEqual(['thick'])
    expect(ids(unknown, { videoQuality: 'lowest' })).toEqual(['thin'])
  })
})

describe('an audio quality selects the highest bitrate up to its limit, else the lowest above it:', () => {
  const ladder = [audio('40', 40), audio('64', 64), audio('128', 128), audio('200', 200), audio('320', 320)]
  test.each([
    ['lowest', '40'],
    ['low', '64'],
    ['medium', '128'],
    ['high', '200'],
    ['best', '320'],
  ] as const)('%s selects %s kbit/s', (audioQuality, id) =>
    expect(ids(ladder, { includeVideo: false, audioQuality })).toEqual([id]),
  )

  test('when all are above the limit, the lowest is selected', () => {
    expect(ids([audio('320', 320), audio('256', 256)], { includeVideo: false, audioQuality: 'low' })).toEqual(['256'])
  })

  test.each([
    ['lowest', 'lo'],
    ['low', 'mid'],
    ['medium', 'mid'],
    ['high', 'hi'],
    ['best', 'hi'],
  ] as const)('when no bitrate is known, %s selects the tier %s', (audioQuality, id) => {
    const tiered = (name: string, tier: number, preference: number) =>
      audio(name, null, 'mp4a.40.2', { tier, preference })
    const audios = [tiered('hi', 3_000_000, 1), tiered('lo', 300_000, 2), tiered('mid', 900_000, 3)]
    expect(ids(audios, { includeVideo: false, audioQuality })).toEqual([id])
    // A commentary track is not another quality of the main audio.
    const commentary = tiered('commentary', 300_000, 0)
    expect(ids([commentary, ...audios], { includeVideo: false, audioQuality })).toEqual([id])
  })

  test('a dubbed track with a higher bitrate does not win over the original', () => {
    const tracks = [
      audio('original', 128, 'mp4a.40.2', { language: 'de', preference: 10 }),
      audio('dubbed', 130, 'mp4a.40.2', { language: 'en', preference: -1 }),
    ]
    expect(ids(tracks, { includeVideo: false })).toEqual(['original'])
  })
})

describe('video and audio', () => {
  const separate = [
    video('h264-1080', 1080),
    video('vp9-1080', 1080, 'vp9', { bitrate: 9e6, preference: 5 }),
    audio('aac', 128),
    audio('opus', 160, 'opus'),
  ]

  test('are chosen so that they fit one container without re-encoding', () => {
    expect(ids(separate)).toEqual(['h264-1080', 'aac'])
    expect(ids(separate.filter(({ id }) => id !== 'h264-1080'))).toEqual(['vp9-1080', 'opus'])
  })

  test('that do not fit one container are chosen when there is no alternative', () => {
    expect(ids([video('h264', 720), audio('opus', 160, 'opus')])).toEqual(['h264', 'opus'])
  })

  test('the requested resolution has priority over the container', () => {
    expect(
      ids([video('h264-720', 720), video('vp9-1080', 1080, 'vp9'), audio('aac', 128), audio('opus', 96, 'opus')]),
    ).toEqual(['vp9-1080', 'opus'])
  })

  test('in one file are preferred to a better video without audio', () => {
    expect(ids([video('video-only', 1080), muxed('both', 360)])).toEqual(['both'])
  })

  test('a source with only video or only audio is imported as it is', () => {
    expect(ids([video('video-only', 1080)])).toEqual(['video-only'])
    expect(ids([audio('audio-only', 128)])).toEqual(['audio-only'])
  })

  test('a direct file is chosen for every requested quality', () => {
    const direct = rendition('direct', { videoCodec: 'unknown', audioCodec: 'unknown' })
    for (const videoQuality of ['lowest', '144p', 'best'] as const) {
      expect(ids([direct], { videoQuality })).toEqual(['direct'])
    }
  })
})

describe('audio only', () => {
  test('is a separate stream if there is one', () => {
    expect(ids([muxed('144', 144, { sizeBytes: 10 }), audio('aac', 128)], { includeVideo: false })).toEqual(['aac'])
  })

  test('without a separate stream comes from the smallest video, by size', () => {
    const videos = [muxed('small', 720, { sizeBytes: 100 }), muxed('large', 360, { sizeBytes: 200 })]
    expect(ids(videos, { includeVideo: false })).toEqual(['small'])
  })

  test('without known sizes comes from the smallest video by bitrate, else by resolution', () => {
    const byBitrate = [muxed('a', 360, { bitrate: 2e6 }), muxed('b', 720, { bitrate: 1e6, sizeBytes: 1 })]
    expect(ids(byBitrate, { includeVideo: false })).toEqual(['b'])
    expect(ids([muxed('a', 720), muxed('b', 360, { bitrate: 1e6 })], { includeVideo: false })).toEqual(['b'])
  })

  test('of a source without audio fails with NO_AUDIO', () => {
    expect(() => ids([video('video-only', 1080)], { includeVideo: false })).toThrow(
      expect.objectContaining({ code: 'NO_AUDIO' }),
    )
  })
})

describe('video without audio', () => {
  test('is a separate stream if there is one of that resolution', () => {
    expect(ids([muxed('both', 720), video('video-only', 720)], { includeAudio: false })).toEqual(['video-only'])
  })

  test('without a separate stream comes from a file with both', () => {
    expect(ids([muxed('both', 720)], { includeAudio: false })).toEqual(['both'])
  })

  test('of an audio source fails with NO_VIDEO', () => {
    expect(() => ids([audio('audio-only', 128)], { includeAudio: false })).toThrow(
      expect.objectContaining({ code: 'NO_VIDEO' }),
    )
  })
})

test('a source without renditions fails with SOURCE_NOT_FOUND', () => {
  expect(() => ids([])).toThrow(expect.objectContaining({ code: 'SOURCE_NOT_FOUND' }))
})
