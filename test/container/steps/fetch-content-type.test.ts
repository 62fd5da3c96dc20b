import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { fetchMedia } from '../../../container/steps/fetch.ts'
import type { FetchOrder } from '../../../domain/protocol/protocol.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { sha256 } from '../../support/sha256.ts'
import { ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { createStepHarness, resultOf } from './step-harness.ts'

const folder = scratchFolder()
const web = createStepHarness(folder)
beforeAll(() => {
  copyFileSync(fixture('tone.webm'), join(folder, 'tone.webm'))
  // Large enough that its upload starts before it is complete.
  const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=60:r=48000:seed=7', '-ac', '2', '-c:a', 'pcm_s16le']
  ffmpeg([...noise, join(folder, 'noise.mkv')])
})

const imported = async (name: string) => {
  await web.start<FetchOrder>('fetch', fetchMedia, {
    url: `${web.origin.url}/media/${name}`,
    selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
  })
  const { media, facts } = resultOf(web, 'fetch')
  const bytes = web.fake.stored(media)
  expect(bytes && sha256(bytes)).toBe(facts.sha256)
  return facts
}
const contentTypes = () => web.fake.uploads.map(({ contentType }) => contentType)

test('audio in a video container is stored with the reported content type', async () => {
  expect(await imported('tone.webm')).toMatchObject({ contentType: 'audio/webm', extension: 'webm' })
  expect(contentTypes().at(-1)).toBe('audio/webm')
  expect(web.fake.puts.at(-1)).toMatchObject({ contentType: 'audio/webm' })
})

test('an upload that started with a video type is restarted when the file has no video', async () => {
  expect(await imported('noise.mkv')).toMatchObject({ contentType: 'audio/x-matroska', extension: 'mka' })
  expect(contentTypes()).toEqual(['video/x-matroska', 'audio/x-matroska'])
})
