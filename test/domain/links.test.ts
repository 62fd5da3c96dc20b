import { expect, test } from 'vitest'
import { checkLink, mediaLink } from '../../worker/media/links.ts'

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const key = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const other = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const expiresAt = Date.UTC(2026, 10, 28, 7, 0, 0, 500)
const link = { jobId: 'imp_1', filename: 'Über 100%.mp4', attempt: 2, expiresAt }
const made = new URL(await mediaLink(key, 'https://haul.test', link))

/** What a request for the link says. */
const asked = {
  jobId: 'imp_1',
  filename: 'Über 100%.mp4',
  expires: made.searchParams.get('expires') ?? '',
  signature: made.searchParams.get('signature') ?? '',
}
const before = expiresAt - 1_000
const invalid = { valid: false }

test('a link names the job, the file and the second that it ends at', () => {
  expect(made.pathname).toBe('/media/imp_1/%C3%9Cber%20100%25.mp4')
  expect(asked.expires).toBe(`${Math.floor(expiresAt / 1000)}`)
})

test('a link is the same however often it is made', async () => {
  expect(await mediaLink(key, 'https://haul.test', link)).toBe(made.href)
})

test('a link that is as it was made is valid, and tells the attempt that stored the bytes', async () => {
  expect(await checkLink(key, asked, before)).toEqual({ valid: true, expired: false, attempt: 2 })
})

test('a link is over at its second, not before and not after', async () => {
  const end = Math.floor(expiresAt / 1000) * 1000
  expect(await checkLink(key, asked, end - 1)).toMatchObject({ valid: true, expired: false })
  expect(await checkLink(key, asked, end)).toMatchObject({ valid: true, expired: true })
})

test.each([
  ['another job', { jobId: 'imp_2' }],
  ['another name', { filename: 'Über 100%.html' }],
  ['a name of another case', { filename: 'über 100%.mp4' }],
  ['the thumbnail', { filename: 'thumbnail.jpg' }],
  ['no name', { filename: '' }],
  ['a line more in the name', { filename: 'Über 100%.mp4\n' }],
  ['a later end', { expires: `${Number(asked.expires) + 1}` }],
  ['an end of another spelling', { expires: `0${asked.expires}` }],
  ['an end in words', { expires: 'never' }],
  ['no end', { expires: '' }],
  ['another attempt', { signature: asked.signature.replace(/^2/, '3') }],
  ['an attempt of another spelling', { signature: asked.signature.replace(/^2/, '02') }],
  ['no attempt', { signature: asked.signature.replace(/^2\./, '') }],
  ['half a signature', { signature: asked.signature.slice(0, 20) }],
  ['no signature', { signature: '' }],
])('a link with %s is not valid', async (_, change) => {
  expect(await checkLink(key, { ...asked, ...change }, before)).toEqual(invalid)
})

test('a link by another key is not valid', async () => {
  expect(await checkLink(other, asked, before)).toEqual(invalid)
})
