import { expect, test } from 'vitest'
import { Haul } from '../../../../client/src/index.ts'
import { ownProduct } from '../../../support/product/product.ts'

/** The events of the whole product, as a program of a user follows them. */
const site = ownProduct()

test('events of jobs arrive in order, none is missing and none comes twice, while the Worker is killed', async () => {
  const { apiKey } = await site.newClient()
  const haul = new Haul({ apiKey, baseUrl: site.haul.baseUrl })
  const opened = Promise.withResolvers<void>()
  const seen: [string, string | undefined][] = []
  const listening = (async () => {
    for await (const { type, data } of haul.events({ onOpen: opened.resolve })) {
      seen.push([type, 'jobId' in data ? data.jobId : undefined])
      if (seen.length === 4) return
    }
  })()
  await opened.promise
  // Before the first event, the position is all that the client knows.
  await site.haul.killWorker()
  await site.haul.ready()
  const first = await haul.import(site.media(), { includeVideo: false })
  await site.haul.killWorker()
  await site.haul.ready()
  const second = await haul.import(site.media(), { includeVideo: false })
  await listening
  expect(seen).toEqual(
    [first, second].flatMap(({ jobId }) => [
      ['job.started', jobId],
      ['import.completed', jobId],
    ]),
  )
}, 120_000)
