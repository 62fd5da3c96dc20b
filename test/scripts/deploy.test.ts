import { expect, test } from 'vitest'
import { RETENTION_MS } from '../../domain/limits.ts'
import lifecycle from '../../scripts/deploy/lifecycle.json' with { type: 'json' }
import { type DeploymentConfig, missingFor } from '../../scripts/deploy/missing-settings.ts'

const complete: DeploymentConfig = {
  vars: { PUBLIC_URL: 'https://haul.example', MEDIA_S3_ENDPOINT: 'https://acc.r2.cloudflarestorage.com/haul-media' },
  secrets: { required: ['HAUL_SECRET'] },
  queues: {},
  r2_buckets: [],
  d1_databases: [{ database_name: 'haul', database_id: '0b1c2d3e-0000-4000-8000-000000000000' }],
}
const noVars = { ...complete, vars: { PUBLIC_URL: '', MEDIA_S3_ENDPOINT: '' } }
const noId = {
  ...complete,
  d1_databases: [{ database_name: 'haul', database_id: '00000000-0000-0000-0000-000000000000' }],
}

test('nothing is missing when everything is set', () => {
  expect(missingFor(complete, { env: {}, secrets: ['HAUL_SECRET'] })).toEqual([])
})

test('an operator can set URLs in the environment', () => {
  expect(missingFor(noVars, { env: complete.vars as NodeJS.ProcessEnv, secrets: null })).toEqual([])
})

test.each([
  ['a URL', noVars, ['HAUL_SECRET'], /^PUBLIC_URL is not set/],
  ['the id of the database', noId, ['HAUL_SECRET'], /npx wrangler d1 create haul/],
  ['a secret', complete, [], /npx wrangler secret put HAUL_SECRET/],
])('a deployment without %s is refused with the command to run', (_, deployment, secrets, sentence) => {
  expect(missingFor(deployment, { env: {}, secrets })[0]).toMatch(sentence)
})

test('the bucket keeps media at least as long as the account does', () => {
  const rule = lifecycle.rules.find(({ conditions }) => conditions.prefix === 'media/')
  expect(rule?.deleteObjectsTransition?.condition.maxAge).toBeGreaterThan(RETENTION_MS / 1000)
})
