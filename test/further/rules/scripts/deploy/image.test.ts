import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { copiedPaths } from '../../../../../scripts/deploy/steps/image.ts'

test('the tag of the image is a hash of what the Dockerfile copies', () => {
  expect(copiedPaths(readFileSync('container/Dockerfile', 'utf8'))).toEqual(
    expect.arrayContaining([
      'package.json',
      'package-lock.json',
      'container',
      'domain',
      'scripts/speech.mjs',
      'scripts/speech',
    ]),
  )
})

test.each([
  ['COPY a b c/', ['a', 'b']],
  ['COPY a x\nRUN true\nCOPY a y', ['a']],
  ['COPY --from=packages /haul/node_modules node_modules', []],
])('%j copies %j', (dockerfile, paths) => expect(copiedPaths(dockerfile)).toEqual(paths))
