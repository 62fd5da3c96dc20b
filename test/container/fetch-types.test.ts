import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { FetchOrder } from '../../container/protocol.ts'
import { fetchMedia } from '../../container/steps/fetch.ts'
import { sha256 } from '../digest.ts'
import { fixture } from '../origin/fixtures.ts'
import { ffmpeg, scratchFolder } from './sound.ts'
import { resultOf, stepBench } from './step-run.ts'

const folder = scratchFolder()
const web = stepBench(folder)
beforeAll(() => {
  copyFileSync(fixture('tone.webm'), join(folder, 'tone.webm'))
  // More than is waited for before its upload begins.
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
const told = () => web.fake.uploads.map(({ contentType }) => contentType)

test('a sound in the container of films is stored as what it is reported to be', async () => {
  expect(await imported('tone.webm')).toMatchObject({ contentType: 'audio/webm', extension: 'webm' })
  expect(told().at(-1)).toBe('audio/webm')
  expect(web.fake.puts.at(-1)).toMatchObject({ contentType: 'audio/webm' })
})

test('an upload that began as a film is begun anew when there is no picture in it', async () => {
  expect(await imported('noise.mkv')).toMatchObject({ contentType: 'audio/x-matroska', extension: 'mka' })
  expect(told()).toEqual(['video/x-matroska', 'audio/x-matroska'])
})
