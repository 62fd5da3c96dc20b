import { describe, expect, test } from 'vitest'
import { chosen, select } from '../../container/media/select.ts'
import type { Selection } from '../../container/protocol.ts'
import type { Rendition } from '../../container/source/source.ts'

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
const picture = (id: string, height: number, videoCodec = 'avc1.640028', facts: Partial<Rendition> = {}) =>
  rendition(id, { videoCodec, height, ...facts })
const sound = (id: string, kilobits: number | null, audioCodec = 'mp4a.40.2', facts: Partial<Rendition> = {}) =>
  rendition(id, { audioCodec, bitrate: kilobits && kilobits * 1000, ...facts })

const wish = (selection: Partial<Selection> = {}): Selection => ({
  includeVideo: true,
  includeAudio: true,
  videoQuality: '1080p',
  audioQuality: 'best',
  ...selection,
})
const ids = (renditions: Rendition[], selection: Partial<Selection> = {}) =>
  chosen(select(renditions, wish(selection))).map(({ id }) => id)

describe('a number of lines is the best rendition not above it, else the smallest above', () => {
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
  ] as const)('%s is %s', (videoQuality, id) => expect(ids(ladder, { videoQuality })).toEqual([id]))

  test('an upright film counts by its shorter side', () => {
    const upright = [muxed('1080', 1920, { width: 1080 }), muxed('720', 1280, { width: 720 })]
    expect(ids(upright, { videoQuality: '1080p' })).toEqual(['1080'])
  })

  test('among those of one height, the larger bitrate wins, and for lowest the smaller', () => {
    const twins = [muxed('thin', 720, { bitrate: 1e6 }), muxed('thick', 720, { bitrate: 3e6 })]
    expect(ids(twins)).toEqual(['thick'])
    expect(ids(twins, { videoQuality: 'lowest' })).toEqual(['thin'])
  })

  test('without any height the bitrate decides', () => {
    const nameless = [muxed('thin', null, { bitrate: 1e6 }), muxed('thick', null, { bitrate: 3e6 })]
    expect(ids(nameless, { videoQuality: 'best' })).toEqual(['thick'])
    expect(ids(nameless, { videoQuality: 'lowest' })).toEqual(['thin'])
  })
})

describe('an audio quality is the best bitrate not above it, else the smallest above', () => {
  const ladder = [sound('40', 40), sound('64', 64), sound('128', 128), sound('200', 200), sound('320', 320)]
  test.each([
    ['lowest', '40'],
    ['low', '64'],
    ['medium', '128'],
    ['high', '200'],
    ['best', '320'],
  ] as const)('%s is %s kbit/s', (audioQuality, id) =>
    expect(ids(ladder, { includeVideo: false, audioQuality })).toEqual([id]),
  )

  test('when all are above, the smallest is taken', () => {
    expect(ids([sound('320', 320), sound('256', 256)], { includeVideo: false, audioQuality: 'low' })).toEqual(['256'])
  })

  test.each([
    ['lowest', 'lo'],
    ['low', 'mid'],
    ['medium', 'mid'],
    ['high', 'hi'],
    ['best', 'hi'],
  ] as const)('where no bitrate is known, %s is %s of the source’s own order', (audioQuality, id) => {
    const tiered = (name: string, tier: number, preference: number) =>
      sound(name, null, 'mp4a.40.2', { tier, preference })
    const sounds = [tiered('hi', 3_000_000, 1), tiered('lo', 300_000, 2), tiered('mid', 900_000, 3)]
    expect(ids(sounds, { includeVideo: false, audioQuality })).toEqual([id])
    // A commentary beside the film's sound is no other quality of it.
    const commentary = tiered('commentary', 300_000, 0)
    expect(ids([commentary, ...sounds], { includeVideo: false, audioQuality })).toEqual([id])
  })

  test('a dubbed track does not win over the original by its bitrate', () => {
    const tracks = [
      sound('original', 128, 'mp4a.40.2', { language: 'de', preference: 10 }),
      sound('dubbed', 130, 'mp4a.40.2', { language: 'en', preference: -1 }),
    ]
    expect(ids(tracks, { includeVideo: false })).toEqual(['original'])
  })
})

describe('picture and sound', () => {
  const separate = [
    picture('h264-1080', 1080),
    picture('vp9-1080', 1080, 'vp9', { bitrate: 9e6, preference: 5 }),
    sound('aac', 128),
    sound('opus', 160, 'opus'),
  ]

  test('are taken so that they fit one container without re-encoding', () => {
    expect(ids(separate)).toEqual(['h264-1080', 'aac'])
    expect(ids(separate.filter(({ id }) => id !== 'h264-1080'))).toEqual(['vp9-1080', 'opus'])
  })

  test('of different worlds are taken when there is nothing that fits', () => {
    expect(ids([picture('h264', 720), sound('opus', 160, 'opus')])).toEqual(['h264', 'opus'])
  })

  test('the asked height counts more than the container', () => {
    expect(
      ids([picture('h264-720', 720), picture('vp9-1080', 1080, 'vp9'), sound('aac', 128), sound('opus', 96, 'opus')]),
    ).toEqual(['vp9-1080', 'opus'])
  })

  test('in one file are taken when no separate sound exists, rather than a better but silent film', () => {
    expect(ids([picture('silent', 1080), muxed('both', 360)])).toEqual(['both'])
  })

  test('a silent film and a song are imported as they are', () => {
    expect(ids([picture('silent', 1080)])).toEqual(['silent'])
    expect(ids([sound('song', 128)])).toEqual(['song'])
  })

  test('a direct file is its only rendition, whatever quality is asked for', () => {
    const direct = rendition('direct', { videoCodec: 'unknown', audioCodec: 'unknown' })
    for (const videoQuality of ['lowest', '144p', 'best'] as const) {
      expect(ids([direct], { videoQuality })).toEqual(['direct'])
    }
  })
})

describe('sound alone', () => {
  test('is a separate stream where there is one', () => {
    expect(ids([muxed('144', 144, { sizeBytes: 10 }), sound('aac', 128)], { includeVideo: false })).toEqual(['aac'])
  })

  test('comes from the smallest film where there is none: by size', () => {
    const films = [muxed('small', 720, { sizeBytes: 100 }), muxed('large', 360, { sizeBytes: 200 })]
    expect(ids(films, { includeVideo: false })).toEqual(['small'])
  })

  test('else by bitrate, else by height', () => {
    const byBitrate = [muxed('a', 360, { bitrate: 2e6 }), muxed('b', 720, { bitrate: 1e6, sizeBytes: 1 })]
    expect(ids(byBitrate, { includeVideo: false })).toEqual(['b'])
    expect(ids([muxed('a', 720), muxed('b', 360, { bitrate: 1e6 })], { includeVideo: false })).toEqual(['b'])
  })

  test('of a silent film cannot be had', () => {
    expect(() => ids([picture('silent', 1080)], { includeVideo: false })).toThrow(
      expect.objectContaining({ code: 'NO_AUDIO' }),
    )
  })
})

describe('picture alone', () => {
  test('is a separate stream where there is one of that height', () => {
    expect(ids([muxed('both', 720), picture('silent', 720)], { includeAudio: false })).toEqual(['silent'])
  })

  test('else comes from a file with both', () => {
    expect(ids([muxed('both', 720)], { includeAudio: false })).toEqual(['both'])
  })

  test('of a song cannot be had', () => {
    expect(() => ids([sound('song', 128)], { includeAudio: false })).toThrow(
      expect.objectContaining({ code: 'NO_VIDEO' }),
    )
  })
})

test('a source without renditions has no media', () => {
  expect(() => ids([])).toThrow(expect.objectContaining({ code: 'SOURCE_NOT_FOUND' }))
})
