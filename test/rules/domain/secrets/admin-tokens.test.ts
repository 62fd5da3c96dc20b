import { expect, test } from 'vitest'
import { parseAdminTokens } from '../../../../domain/secrets/admin-tokens.ts'

const [one, other] = ['a'.repeat(16), 'B'.repeat(40)]

test.each([
  ['', []],
  [`ada:${one}`, [{ name: 'ada', token: one }]],
  [
    ` ada:${one} ,\n on-call-2:${other},`,
    [
      { name: 'ada', token: one },
      { name: 'on-call-2', token: other },
    ],
  ],
  [`ada:${one}.-_~+/==`, [{ name: 'ada', token: `${one}.-_~+/==` }]],
])('ADMIN_TOKENS "%s" has %o', (text, tokens) => expect(parseAdminTokens(text)).toEqual(tokens))

test.each([
  ['a token without a name', other, 'entry 1 must be name:token'],
  ['an empty name', `:${other}`, 'entry 1 must be name:token'],
  ['a name with capitals', `ada:${one},Bob:${other}`, 'entry 2 must be name:token'],
  ['a name as long as a token', `${one}:${other}`, 'entry 1 must be name:token'],
  ['a short token', `ada:${one.slice(1)}`, 'the token of ada has fewer than 16 characters'],
  ['an empty token', 'ada:', 'the token of ada has characters'],
  ['a token with a space', `ada:${one} ${one}`, 'the token of ada has characters'],
  ['a token with a colon', `ada:${one}:${one}`, 'the token of ada has characters'],
  ['two tokens of one name', `ada:${one},ada:${other}`, 'there are two tokens for ada'],
  ['one token of two names', `ada:${one},bob:${one}`, 'ada and bob have the same token'],
  ['the name of ADMIN_TOKEN', `admin:${one}`, 'admin is the name of ADMIN_TOKEN'],
])('%s is refused without showing a token', (_, text, message) => {
  const errorOf = (): string => {
    try {
      return `accepted ${parseAdminTokens(text).length}`
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(errorOf()).toContain(`ADMIN_TOKENS: ${message}`)
  expect(errorOf()).not.toMatch(/a{15}|B{15}/)
})
