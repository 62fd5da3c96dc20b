import { existsSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findCaptions } from '../../../container/steps/captions.ts'
import type { CaptionsOrder } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { readStored } from '../../support/stored-transcript.ts'
import { python } from '../source/extractor/shared-extractor.ts'
import { codeOf, createStepHarness, resultOf } from './step-harness.ts'

const web = createStepHarness()

/** The page's captions are from 0.5 to 2 s and from 2.5 to 5 s, its video has 6 s. */
const start = (path: string, [from, to]: [number | null, number | null]) =>
  web.start<CaptionsOrder>('captions', findCaptions, {
    url: `${web.origin.url}${path}`,
    language: null,
    clip: { startSeconds: from, endSeconds: to },
  })

const segments = () => {
  const { transcript } = resultOf(web, 'captions')
  return transcript ? readStored(web.fake.stored(transcript)).segments : []
}

describe.runIf(existsSync(python))('captions of a clip', () => {
  test.each([
    [[1, 2.2], [{ start: 0.5, end: 2, text: 'A tone.' }]],
    [[2, 2.6], [{ start: 2.5, end: 5, text: 'Still a tone.' }]],
    [[4, null], [{ start: 2.5, end: 5, text: 'Still a tone.' }]],
  ] as const)('are the segments that overlap it, with the times of the media: %j', async ([from, to], expected) => {
    await start('/page/video.html', [from, to])
    expect(segments()).toEqual(expected)
    expect(resultOf(web, 'captions').facts).toMatchObject({ durationSeconds: 6, segments: expected.length })
  })

  test('are none if nothing is said in it, and the quote is for the time of the clip', async () => {
    await start('/page/video.html', [5.2, 6])
    expect(resultOf(web, 'captions')).toMatchObject({ transcript: null, durationSeconds: expect.closeTo(0.8, 1) })
  })

  test('are quoted for the time of the clip, and for all bytes of a file that is too small for ranges', async () => {
    await start('/media/faststart.mp4', [1, 3])
    const wholeBytes = statSync(fixture('faststart.mp4')).size
    expect(resultOf(web, 'captions')).toMatchObject({ durationSeconds: 2, audioBytes: wholeBytes })
  })

  test('fail if the clip starts after the end of the media', async () => {
    await start('/page/video.html', [60, null])
    expect(codeOf(web)).toBe('CLIP_OUT_OF_RANGE')
  })
})
