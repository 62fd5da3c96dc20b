import { expect, test } from 'vitest'
import { sign } from '../../../../domain/secrets/signed-text.ts'
import { checkLink, mediaLink } from '../../../../worker/media/links.ts'

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const key = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const other = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const expiresAt = Date.UTC(2026, 10, 28, 7, 0, 0, 500)
const link = { jobId: 'imp_1', filename: 'Über 100%.mp4', attempt: 2, expiresAt }
const url = new URL(await mediaLink(key, 'https://haul.test', link))

/** The parameters of a request for the link. */
const requested = {
  jobId: 'imp_1',
  filename: 'Über 100%.mp4',
  expires: url.searchParams.get('expires') ?? '',
  signature: url.searchParams.get('signature') ?? '',
}
const before = expiresAt - 1_000

const invalid = { valid: false }

test('a link contains the job, the filename and the expiry in seconds', () => {
  expect(url.pathname).toBe('/media/imp_1/%C3%9Cber%20100%25.mp4')
  expect(requested.expires).toBe(`${Math.floor(expiresAt / 1000)}`)
})

test('a link for the same file is always the same', async () => {
  expect(await mediaLink(key, 'https://haul.test', link)).toBe(url.href)
})

test('an unchanged link is valid and contains the attempt that stored the file', async () => {
  expect(await checkLink(key, requested, before)).toEqual({ valid: true, expired: false, attempt: 2 })
})

test.each([1, 999_999])('attempt %i is accepted, since attempts are lease numbers that only grow', async (attempt) => {
  const { searchParams } = new URL(await mediaLink(key, 'https://haul.test', { ...link, attempt }))
  const signature = searchParams.get('signature') ?? ''
  expect(signature).toMatch(new RegExp(`^${attempt}\\.`))
  expect(await checkLink(key, { ...requested, signature }, before)).toMatchObject({ valid: true, attempt })
})

test('a link expires exactly at its expiry', async () => {
  const end = Math.floor(expiresAt / 1000) * 1000
  expect(await checkLink(key, requested, end - 1)).toMatchObject({ valid: true, expired: false })
  expect(await checkLink(key, requested, end)).toMatchObject({ valid: true, expired: true })
})

test.each([
  ['another job', { jobId: 'imp_2' }],
  ['another filename', { filename: 'Über 100%.html' }],
  ['a filename in another case', { filename: 'über 100%.mp4' }],
  ['the thumbnail', { filename: 'thumbnail.jpg' }],
  ['no filename', { filename: '' }],
  ['a line break after the filename', { filename: 'Über 100%.mp4\n' }],
  ['a later expiry', { expires: `${Number(requested.expires) + 1}` }],
  ['an expiry with a leading zero', { expires: `0${requested.expires}` }],
  ['an expiry that is not a number', { expires: 'never' }],
  ['no expiry', { expires: '' }],
  ['another attempt', { signature: requested.signature.replace(/^2/, '3') }],
  ['an attempt with a leading zero', { signature: requested.signature.replace(/^2/, '02') }],
  ['no attempt', { signature: requested.signature.replace(/^2\./, '') }],
  ['no signature', { signature: '' }],
])('a link with %s is not valid', async (_, change) => {
  expect(await checkLink(key, { ...requested, ...change }, before)).toEqual(invalid)
})

test('a link that was signed with another key is not valid', async () => {
  expect(await checkLink(other, requested, before)).toEqual(invalid)
})

test('what is signed are the job, the attempt, the expiry and the filename', async () => {
  const signed = `media\nimp_1\n2\n${requested.expires}\nÜber 100%.mp4`
  expect(requested.signature).toBe(`2.${await sign(key, signed)}`)
})
