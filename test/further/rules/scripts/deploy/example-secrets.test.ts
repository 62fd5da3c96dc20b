import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import packageJson from '../../../../../package.json' with { type: 'json' }
import { parseSecrets } from '../../../../../scripts/deploy/steps/settings.ts'
import { readTarget } from '../../../../../scripts/deploy/target.ts'

const { requiredSecrets, vars } = readTarget('production', 'wrangler.toml')
const example = parseSecrets(readFileSync('.dev.vars.example', 'utf8'))

test('the example of secrets has those that the Worker requires', () => {
  expect(Object.keys(example).sort()).toEqual(requiredSecrets.toSorted())
})

test('no secret has an example value, which a Deploy to Cloudflare button would offer to everybody', () => {
  expect(Object.values(example).filter(Boolean)).toEqual([])
})

test('a Deploy to Cloudflare button describes every secret, and only what exists', () => {
  const described = Object.keys(packageJson.cloudflare.bindings)
  expect(described).toEqual(expect.arrayContaining(requiredSecrets))
  expect([...requiredSecrets, ...Object.keys(vars)]).toEqual(expect.arrayContaining(described))
})
