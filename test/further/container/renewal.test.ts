import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { StepOutcome } from '../../../domain/protocol/protocol.ts'
import { scratch } from '../../container/audio/recordings.ts'
import { fetchOrder, startContainer } from '../../container/container-process.ts'
import { startIndex } from '../../container/source/extractor/versions/local-index.ts'
import { startFakeWorker } from '../../container/steps/fake-worker.ts'
import { startOrigin } from '../../doubles/origin/origin.ts'

test('an engine takes a version that appears on the index between two jobs, and all jobs complete', async () => {
  const folder = scratch()
  const [origin, fake, index] = await Promise.all([startOrigin(), startFakeWorker(), startIndex(folder)])
  const container = await startContainer({
    ...{ WORK_DIR: join(folder, 'work'), ALLOW_PRIVATE_HOSTS: origin.host },
    ...{ YTDLP_CHANNEL: 'stable', YTDLP_INDEX_URL: index.url.href, YTDLP_CHECK_MS: '1000' },
  })
  onTestFinished(async () => {
    await container.end()
    await Promise.all([origin.close(), fake.close(), index.close()])
  })
  const run = async (): Promise<string | null | undefined> => {
    const before = fake.outcomes.length
    await container.post('/steps', fetchOrder(`imp_${before}`, fake, `${origin.url}/page/hls.html`))
    await expect.poll(() => fake.outcomes.length, { timeout: 60_000 }).toBe(before + 1)
    const outcome = fake.outcomes[before]
    expect(outcome).toMatchObject({ status: 'done', readBy: { extractor: 'html5' } })
    return (outcome as Extract<StepOutcome, { status: 'done' }>).readBy?.extractorVersion
  }
  const built = await run()
  await index.publish('2030.1.1')
  // The first check comes some seconds after the start.
  await expect.poll(() => index.requests.length).toBeGreaterThan(0)
  // Jobs go on while the version is fetched, proven and started.
  while ((await run()) === built) expect(fake.outcomes.length).toBeLessThan(500)
  expect(await run()).toBe('2030.1.1')
  const extractor = { version: '2030.1.1', channel: 'stable', problem: null }
  expect(await (await container.get('/state')).json()).toMatchObject({ extractor })
  expect(await (await container.get('/health')).json()).toMatchObject({ status: 'ok', extractor })
})
