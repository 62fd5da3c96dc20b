import { expect, test } from 'vitest'
import { isSigned, sign } from '../../../../domain/secrets/signed-text.ts'

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const key = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey
const other = (await crypto.subtle.generateKey(hmac, false, ['sign', 'verify'])) as CryptoKey

test('a signature is valid for its text and is URL-safe', async () => {
  for (const text of ['', 'a', 'ünï😀', 'x'.repeat(10_000)]) {
    const signature = await sign(key, text)
    expect(signature).toMatch(/^[\w-]{43}$/)
    expect(await isSigned(key, text, signature)).toBe(true)
  }
})

test('another text, another key or another signature is invalid', async () => {
  const signature = await sign(key, 'text')
  expect(await isSigned(key, 'texts', signature)).toBe(false)
  expect(await isSigned(other, 'text', signature)).toBe(false)
  expect(await isSigned(key, 'text', await sign(key, 'texts'))).toBe(false)
})

test('a signature has one spelling', async () => {
  const signature = await sign(key, 'text')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = letters.indexOf(signature.at(-1) ?? '')
  const others = [1, 2, 3].map((bits) => signature.slice(0, -1) + letters[last + bits])
  for (const spelling of [...others, `${signature}=`, `${signature}\n`, ` ${signature}`, `${signature}A`]) {
    expect(await isSigned(key, 'text', spelling)).toBe(false)
  }
})

test.each(['', '!', 'A', '=', '\u0000', 'ü', 'A'.repeat(10_000)])(
  '"%s" is an invalid signature and does not throw',
  async (text) => {
    expect(await isSigned(key, 'text', text)).toBe(false)
  },
)
