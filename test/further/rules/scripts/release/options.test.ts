import { expect, test } from 'vitest'
import { readOptions } from '../../../../../scripts/release/options.ts'

const tokens = { NPM_TOKEN: 'n', PYPI_TOKEN: 'p' }

test.each([
  [[], {}, 'Publishing needs NPM_TOKEN and PYPI_TOKEN in the environment. `--dry-run` needs none of them.'],
  [[], { NPM_TOKEN: 'n' }, 'Publishing needs PYPI_TOKEN in the environment. `--dry-run` needs none of them.'],
  [
    ['--images'],
    tokens,
    'Publishing needs IMAGE_REGISTRY and IMAGE_USER and IMAGE_TOKEN in the environment. `--dry-run` needs none of them.',
  ],
])('with %j and %j, a release says which tokens are missing', (args, env, sentence) => {
  expect(() => readOptions(args, env)).toThrow(sentence)
})

test('packages need two tokens, and a dry run needs none', () => {
  expect(readOptions([], tokens)).toMatchObject({ isDryRun: false, hasImages: false, npm: { token: 'n' } })
  expect(readOptions(['--dry-run', '--images'], {})).toMatchObject({ isDryRun: true, hasImages: true })
})

test('an unknown option is refused', () => {
  expect(() => readOptions(['--dryrun'], tokens)).toThrow(/--dryrun/)
})

test('registries of tests are named with or without a slash at the end', () => {
  const env = { ...tokens, NPM_REGISTRY: 'http://127.0.0.1:1', PYPI_INDEX_URL: 'http://127.0.0.1:2/simple/' }
  expect(readOptions([], env)).toMatchObject({
    npm: { registry: 'http://127.0.0.1:1/' },
    pypi: { indexUrl: 'http://127.0.0.1:2/simple/' },
  })
})
