import { expect, test } from 'vitest'
import { product } from '../../support/product/product.ts'

const site = product()

interface Prices {
  builtin: number
  audioDownload: number
}

test.each([
  ['a page with a playlist in several qualities', 'page/hls.html'],
  ['a page that states neither length nor size', 'page/qualities.html'],
  ['a page with a file', 'page/several.html'],
  ['a file', 'media/faststart.mp4'],
  ['a file of unknown size', 'media/faststart.mp4?chunked'],
])('%s has one price: in a preview, without a provider, and above maxCostDollars', async (_, path) => {
  const client = await site.newClient()
  const url = site.media(path)
  const { estimate } = await client.get<{ estimate: { transcription: Prices } }>(
    `/metadata?url=${encodeURIComponent(url)}`,
  )
  const { builtin, audioDownload } = estimate.transcription
  const withoutProvider = await client.transcribed({ url })
  const aboveCeiling = await client.transcribed({ url, provider: 'builtin', maxCostDollars: 0.029 })
  expect([withoutProvider.code, aboveCeiling.code]).toEqual(['TRANSCRIPTION_PROVIDER_REQUIRED', 'MAX_COST_EXCEEDED'])
  expect(audioDownload).toBeGreaterThan(0)
  expect(withoutProvider.quote?.estimatedCostDollars).toBeCloseTo(builtin + audioDownload, 9)
  expect(aboveCeiling.quote).toEqual(withoutProvider.quote)
})
