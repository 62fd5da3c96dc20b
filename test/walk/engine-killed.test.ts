import { expect, test } from 'vitest'
import { ownProduct } from '../support/product/product.ts'

/** A product of its own, because nothing else may run on programs that are killed. A lease lasts a second. */
const site = ownProduct(() => ({ env: { LEASE_MS: '1000' } }))

test('an import completes and is charged once, although its engine and then the Worker are killed', async () => {
  const client = await site.newClient()
  const url = site.media('generated/12000000.mp4?ratePerSecond=4000000')
  const jobId = await client.start({ url })
  await client.until(jobId, ({ progress }) => (progress?.downloadedBytes ?? 0) > 1_000_000)
  await site.haul.killContainer('SIGKILL')
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  expect(await client.ended(jobId)).toMatchObject({ status: 'completed', result: { downloadedBytes: 12_000_000 } })
  const { entries } = await client.get<{ entries: { kind: string; jobId: string }[] }>('/account/ledger')
  expect(entries.filter((entry) => entry.jobId === jobId && entry.kind === 'charge')).toHaveLength(1)
  expect(await client.account()).toMatchObject({ balanceDollars: 9.88, heldDollars: 0 })
})
