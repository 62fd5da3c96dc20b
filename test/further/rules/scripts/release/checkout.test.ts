import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemsOfCheckout, releasedVersion } from '../../../../../scripts/release/release.ts'
import { root } from '../../../../../scripts/start/environment.ts'
import { smallCheckout } from './small-checkout.ts'

const problemsWith = async (changes: Record<string, string>): Promise<string[]> => {
  await using checkout = await smallCheckout(changes)
  return await problemsOfCheckout(checkout.root, await releasedVersion(checkout.root))
}

test('a checkout with one version, a heading in the changelog and everything committed may be released', async () => {
  expect(await problemsWith({})).toEqual([])
})

test('versions that differ, and changes without a version, are named', async () => {
  const problems = await problemsWith({
    'worker/http/documentation/openapi.ts': "export const VERSION = '1.3.0'\n",
    'CHANGELOG.md': '# Changelog\n\n## Not released yet\n\nMore.\n\n## 1.1.0\n',
  })
  expect(problems).toEqual([
    'client/package.json has version 1.2.0, and worker/http/documentation/openapi.ts has 1.3.0.',
    'CHANGELOG.md has no heading for version 1.2.0.',
    'CHANGELOG.md has changes under "Not released yet": which version has them?',
  ])
})

test('files that are not committed are named', async () => {
  await using checkout = await smallCheckout()
  await writeFile(join(checkout.root, 'client/README.md'), 'changed')
  expect(await problemsOfCheckout(checkout.root, '1.2.0')).toEqual([
    'These files are not committed:\nM client/README.md',
  ])
})

test('the API, the npm package and the changelog have one version', async () => {
  const problems = await problemsOfCheckout(root, await releasedVersion(root))
  expect(problems.filter((problem) => problem.includes('version ') && !problem.includes('Not released yet'))).toEqual(
    [],
  )
})
