import { expect, test } from 'vitest'
import { imageOf, messageWithImage, versionBefore } from '../../../../../scripts/deploy/cloudflare/versions.ts'

/** The newest is first. */
test.each([
  ['ba', 'a'],
  ['a', null],
  ['', null],
  // A rollback from b to a: what was there before a, and not b again.
  ['aba', null],
  ['bcba', 'a'],
  // b was deployed again, with other secrets.
  ['bba', 'a'],
])('after the deployments %s, a rollback goes to %s', (deployed, version) => {
  const versions = [...deployed].map((versionId) => ({ versionId, at: '' }))
  expect(versionBefore(versions)).toBe(version)
})

test('a version names its image, in fewer than the 100 bytes that Cloudflare keeps', () => {
  const tag = 'haul-staging-engineobject:4e25f30348ef6ebc-20261122084612'
  const message = messageWithImage(`registry.cloudflare.com/48220e039e36f2c892f0cad2b947ca43/${tag}`)
  expect(message.length).toBeLessThan(100)
  const version = { id: 'a', metadata: { created_on: '' }, annotations: { 'workers/message': message } }
  expect(imageOf(version)).toBe(tag)
})

test.each([[undefined], [{}], [{ 'workers/message': 'Deployed by hand' }]])(
  'with %j the image is unknown',
  (annotations) => {
    expect(imageOf({ id: 'a', metadata: { created_on: '' }, ...(annotations ? { annotations } : {}) })).toBeNull()
  },
)
