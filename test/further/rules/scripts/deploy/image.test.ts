import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contentOf, copiedPaths } from '../../../../../scripts/deploy/steps/image.ts'

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

test('the tag changes with each file that the Dockerfile copies, with its arguments, and with nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-image-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const tag = (...args: string[]) =>
    contentOf({ name: 'haul', dockerfile: join(folder, 'Dockerfile'), buildContext: folder }, args)
  write('Dockerfile', 'COPY copied .')
  write('copied', 'one')
  const first = await tag('on')
  write('other', 'two')
  expect(await tag('on')).toBe(first)
  expect(await tag('off')).not.toBe(first)
  write('copied', 'two')
  expect(await tag('on')).not.toBe(first)
})

test.each([
  ['COPY a b c/', ['a', 'b']],
  ['COPY a x\nRUN true\nCOPY a y', ['a']],
  ['COPY --from=packages /haul/node_modules node_modules', []],
])('%j copies %j', (dockerfile, paths) => expect(copiedPaths(dockerfile)).toEqual(paths))
