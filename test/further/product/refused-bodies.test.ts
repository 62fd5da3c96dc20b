import { expect, test } from 'vitest'
import { product } from '../../support/product/product.ts'

/** The proxy of `wrangler dev` loses a response that comes while the body of its request still arrives. */
const site = product()

/** Larger than what sockets buffer. */
const file = new Blob([new Uint8Array(8_000_000)])

const formWith = (files: number): FormData => {
  const form = new FormData()
  form.append('model', 'whisper-1')
  for (let count = 0; count < files; count++) form.append('file', file, 'talk.mp3')
  return form
}

test.each([
  ['of an account without a balance', { files: 1, creditDollars: 0 }, 402],
  ['with a second file, while it arrives', { files: 2, creditDollars: 1 }, 400],
] as const)('a large request %s gets its refusal, each time', async (_, { files, creditDollars }, status) => {
  const { apiKey } = await site.newClient({ creditDollars })
  for (let times = 0; times < 4; times++) {
    const response = await fetch(`${site.haul.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: formWith(files),
    })
    expect([times, response.status]).toEqual([times, status])
    await response.body?.cancel()
  }
})
