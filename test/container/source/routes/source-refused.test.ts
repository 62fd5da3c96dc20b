import { expect, test } from 'vitest'
import { SourceFailure } from '../../../../container/failures.ts'
import { SourceRefused } from '../../../../container/source/routes/until-served.ts'

const proxy = 'A source proxy of the service (SOURCE_PROXIES) may help.'
const token = 'A provider of tokens for the service (POT_PROVIDER_URL) may help.'
const either = 'A provider of tokens for the service (POT_PROVIDER_URL), or a source proxy (SOURCE_PROXIES), may help.'
const nothing = 'It refuses the source proxies of the service too, so nothing here would help.'
const site = 'https://media.example/film'
const video = 'https://www.youtube.com/watch?v=1'

test.each([
  [site, false, false, proxy],
  [site, false, true, proxy],
  [site, true, false, nothing],
  [video, false, false, either],
  [video, true, false, token],
  [video, false, true, proxy],
  [video, true, true, nothing],
  ['https://youtu.be/1', true, false, token],
  ['https://notyoutube.com/1', true, false, nothing],
])('%s, with a proxy: %s, with tokens: %s', (url, hasProxy, hasTokens, help) => {
  const means = { url, hasProxy, hasTokens }
  expect(new SourceRefused(new SourceFailure('SOURCE_BLOCKED'), means).message).toBe(
    `The source refused to serve the media. ${help}`,
  )
  expect(new SourceRefused(new SourceFailure('SOURCE_RATE_LIMITED'), means)).toMatchObject({
    code: 'SOURCE_RATE_LIMITED',
    message: `The source is rate-limiting us. Try again later. ${help}`,
  })
})

test('a message that says more stays as it is', () => {
  const means = { url: site, hasProxy: false, hasTokens: false }
  expect(new SourceRefused(new SourceFailure('SOURCE_BLOCKED', 'The proxy failed.'), means).message).toBe(
    'The proxy failed.',
  )
})
