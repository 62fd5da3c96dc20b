import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packNpm, problemsOfNpm } from '../../../../../scripts/release/npm-package.ts'
import { smallCheckout } from './small-checkout.ts'

const problemsWith = async (changes: Record<string, string | null>, version = '1.2.0'): Promise<string[]> => {
  await using checkout = await smallCheckout(changes)
  const folder = join(checkout.root, 'dist/release')
  await mkdir(folder, { recursive: true })
  return await problemsOfNpm(await packNpm(checkout.root, folder), checkout.root, version)
}

test('a package whose files, types and programs are as they should be has no problems', async () => {
  expect(await problemsWith({})).toEqual([])
})

test('a file too many, a missing licence and another version are named', async () => {
  const problems = await problemsWith({ 'client/dist/index.js.map': '{}', 'client/LICENSE': null }, '1.3.0')
  expect(problems).toEqual([
    'haul-client-1.2.0.tgz has no LICENSE.',
    'haul-client-1.2.0.tgz has dist/index.js.map, which does not belong in it.',
    'haul-client-1.2.0.tgz has version 1.2.0 instead of 1.3.0.',
  ])
})

test('types that do not resolve are found in both ways that programs resolve them', async () => {
  const problems = await problemsWith({ 'client/dist/index.d.ts': "export * from './missing.js'\n" })
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^The types do not resolve with nodenext: .*missing\.js/s)
  expect(problems[1]).toMatch(/^The types do not resolve with bundler: .*missing\.js/s)
})

test('an entry point without a file is found', async () => {
  const problems = await problemsWith({ 'client/dist/index.js': null, 'client/dist/other.js': '' })
  expect(problems.join('\n')).toMatch(/publint: .*index\.js.* does not exist/)
  expect(problems.join('\n')).toMatch(/ERR_MODULE_NOT_FOUND/)
})

test('a command that prints another version is found', async () => {
  const problems = await problemsWith({ 'client/bin/haul.js': "#!/usr/bin/env node\nconsole.log('1.1.0')\n" })
  expect(problems).toEqual(['`haul --version` prints 1.1.0 instead of 1.2.0.'])
})
