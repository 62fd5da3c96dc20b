import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FetchOrder, ReadBy, StepOutcome } from '../../domain/protocol/protocol.ts'
import { startOrigin } from '../doubles/origin/origin.ts'
import { startContainer, token } from './container-process.ts'
import { startIndex } from './source/extractor/versions/local-index.ts'
import { startFakeWorker } from './steps/fake-worker.ts'

test('an engine takes a version that appears on the index between two jobs, and all jobs complete', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-renewal-'))
  const [origin, fake, index] = await Promise.all([startOrigin(), startFakeWorker(), startIndex(folder)])
  const container = await startContainer({
    ...{ WORK_DIR: join(folder, 'work'), ALLOW_PRIVATE_HOSTS: origin.host },
    ...{ YTDLP_CHANNEL: 'stable', YTDLP_INDEX_URL: index.url.href, YTDLP_CHECK_MS: '1000' },
  })
  onTestFinished(async () => {
    container.process.kill('SIGKILL')
    await container.exited
    await Promise.all([origin.close(), fake.close(), index.close()])
    await rm(folder, { recursive: true, force: true })
  })
  const headers = { authorization: `Bearer ${token}` }
  const outcomeOf = async (number: number): Promise<StepOutcome | undefined> => {
    const order: FetchOrder = {
      ...{
        step: 'fetch',
        jobId: `imp_${number}`,
        attempt: 1,
        callback: fake.callback,
        url: `${origin.url}/page/hls.html`,
      },
      selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
      limits: { maxBytes: 50_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
    }
    await fetch(`${container.url}/steps`, { method: 'POST', headers, body: JSON.stringify(order) })
    await expect.poll(() => fake.outcomes.length, { timeout: 60_000 }).toBe(number + 1)
    return fake.outcomes[number]
  }

  const read: (ReadBy | undefined)[] = []
  const run = async () => {
    const outcome = await outcomeOf(read.length)
    expect(outcome).toMatchObject({ status: 'done', readBy: { extractor: 'html5' } })
    read.push((outcome as { readBy?: ReadBy }).readBy)
    return read.at(-1)?.extractorVersion
  }
  const built = await run()
  await index.publish('2030.1.1')
  // Jobs go on while the version is fetched, proven and started.
  while ((await run()) === built) expect(read.length).toBeLessThan(500)
  expect(await run()).toBe('2030.1.1')
  const state = await fetch(`${container.url}/state`, { headers })
  expect(await state.json()).toMatchObject({ extractor: { version: '2030.1.1', channel: 'stable', problem: null } })
  expect(await (await fetch(`${container.url}/health`)).json()).toMatchObject({
    status: 'ok',
    extractor: { version: '2030.1.1' },
  })
})
