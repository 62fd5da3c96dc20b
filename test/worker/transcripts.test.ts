import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { transcriptKey } from '../../worker/domain/media/media-keys.ts'
import { eventually } from './clock.ts'
import { bringCaptions, captioned, findCaptions, newCaller } from './transcribing.ts'

describe('a transcript as a file', () => {
  test.each([
    ['json', 'application/json'],
    ['txt', 'text/plain; charset=utf-8'],
    ['srt', 'application/x-subrip; charset=utf-8'],
    ['vtt', 'text/vtt; charset=utf-8'],
  ])('%s of 10,000 segments, whole', async (format, type) => {
    const { caller, jobId } = await captioned(10_000)
    const response = await caller.fetch(`/transcribe/transcript?id=${jobId}&format=${format}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${jobId}.${format}`)
    const text = await response.text()
    expect(text.match(/Caption number \d+\./g)?.length).toBe(format === 'json' ? 20_000 : 10_000)
    if (format === 'json') expect(JSON.parse(text)).toMatchObject({ source: 'platform_captions', duration: 90 })
  })

  test('is not there before the job has ended, after it was removed, when it failed, and for others', async () => {
    const caller = await newCaller()
    const read = async (id: string, by = caller) => {
      const { status, body } = await by.ask('GET', `/transcribe/transcript?id=${id}&format=srt`)
      return [status, body.code]
    }
    const jobId = await caller.transcribe({})
    expect(await read(jobId)).toEqual([409, 'TRANSCRIPT_NOT_READY'])
    await bringCaptions(caller, jobId)
    expect(await read(jobId, await newCaller())).toEqual([404, 'JOB_NOT_FOUND'])
    await caller.ask('DELETE', `/jobs/${jobId}`)
    expect(await read(jobId)).toEqual([410, 'MEDIA_EXPIRED'])
    const failed = await caller.transcribe({})
    await findCaptions(caller, failed)
    expect(await read(failed)).toEqual([404, 'NOT_FOUND'])
    expect(await read('trn_nothing')).toEqual([404, 'JOB_NOT_FOUND'])
  })
})

test('a removed transcript leaves its facts and its price, and no words anywhere', async () => {
  const { caller, jobId } = await captioned()
  const removed = (await caller.ask('DELETE', `/jobs/${jobId}`)).body.data
  expect(removed).toMatchObject({ status: 'completed', removedAt: expect.any(String), result: { costInDollars: 0.01 } })
  expect(removed.result).not.toHaveProperty('text')
  expect(removed.result).not.toHaveProperty('data')
  expect(await caller.status(jobId)).toMatchObject({ status: 'completed', result: { source: 'platform_captions' } })
  await eventually(async () => expect(await env.MEDIA.head(transcriptKey(jobId, 'captions', 1))).toBeNull())
})
