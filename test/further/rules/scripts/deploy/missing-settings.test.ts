import { expect, test } from 'vitest'
import lifecycle from '../../../../../scripts/deploy/lifecycle.json' with { type: 'json' }
import { lifecycleRules } from '../../../../../scripts/deploy/steps/resources.ts'
import { missingFor, parseSecrets } from '../../../../../scripts/deploy/steps/settings.ts'
import type { Target } from '../../../../../scripts/deploy/target.ts'

const target = { env: 'staging', worker: 'haul-staging', requiredSecrets: ['HAUL_SECRET', 'SEAL_KEYS'] } as Target
const SEAL_KEYS = 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const first = /^The Worker haul-staging does not exist yet, .* set SEAL_KEYS in it, and add `--secrets-file FILE`/

test.each([
  ['all secrets of the Worker are set', ['HAUL_SECRET', 'SEAL_KEYS'], null, []],
  ['the file has the rest', ['HAUL_SECRET'], { SEAL_KEYS }, []],
  ['one is wrong in the file', ['HAUL_SECRET'], { SEAL_KEYS: 'k1:x' }, [/^SEAL_KEYS must be id:base64 entries/]],
  ['one is missing', ['HAUL_SECRET'], null, [/npx wrangler secret put SEAL_KEYS --env "staging"/]],
  ['one is empty in the file', ['HAUL_SECRET'], { SEAL_KEYS: '' }, [/npx wrangler secret put SEAL_KEYS/]],
  ['the first deployment has them in a file', null, { HAUL_SECRET: 'a', SEAL_KEYS }, []],
  ['the file of the first deployment lacks one', null, { HAUL_SECRET: 'a' }, [first]],
])('%s', (_, deployedSecrets, secretsFile, sentences) => {
  const missing = missingFor(target, { env: {}, deployedSecrets, secretsFile })
  expect(missing).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)))
})

test('a wrong variable is named, of wrangler.toml or of the environment that overrides it', () => {
  const wrong = { ...target, vars: { LEASE_MS: '1m', PUBLIC_URL: '' } }
  const given = { deployedSecrets: target.requiredSecrets, secretsFile: null }
  expect(missingFor(wrong, { ...given, env: { PUBLIC_URL: 'haul.example' } })).toEqual([
    expect.stringMatching(/^PUBLIC_URL must be a URL like .*, not "haul.example"\.$/),
    expect.stringMatching(/^LEASE_MS must be a whole number .*, not "1m"\.$/),
  ])
})

test.each([
  ['haul-staging', []],
  ['haul', ['This build belongs to the Worker haul, but the environment staging is the Worker haul-staging.']],
])('a build of Workers Builds for %s deploys only this Worker', (built, sentences) => {
  const env = { WRANGLER_CI_OVERRIDE_NAME: built }
  expect(missingFor(target, { env, deployedSecrets: target.requiredSecrets, secretsFile: null })).toEqual(sentences)
})

test.each([
  [
    'HAUL_SECRET=a # 32 bytes\nSEAL_KEYS="k1:x="\nADMIN_TOKEN=',
    { HAUL_SECRET: 'a', SEAL_KEYS: 'k1:x=', ADMIN_TOKEN: '' },
  ],
  ['{"HAUL_SECRET":"a"}', { HAUL_SECRET: 'a' }],
])('secrets are read from lines and from JSON: %s', (text, secrets) => {
  expect(parseSecrets(text)).toEqual(secrets)
})

test.each([
  ['a new bucket keeps media a day longer than the accounts do', 7, [], 8],
  ['a longer retention is followed', 30, lifecycle.rules, 31],
  ['a shorter one is not, because of what is stored already', 3, lifecycleRules(30, []), 31],
])('%s', (_, days, found, keptDays) => {
  const rules = lifecycleRules(days, found)
  expect(rules[0]).toMatchObject({
    conditions: { prefix: 'media/' },
    deleteObjectsTransition: { condition: { type: 'Age', maxAge: keptDays * 86_400 } },
  })
  expect(rules.slice(1)).toEqual(lifecycle.rules.slice(1))
})
