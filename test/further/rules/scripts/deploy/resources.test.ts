import { expect, test } from 'vitest'
import { openCloudflare } from '../../../../../scripts/deploy/cloudflare/api.ts'
import { createMissingResources } from '../../../../../scripts/deploy/steps/resources.ts'
import { readTarget } from '../../../../../scripts/deploy/target.ts'
import { startCloudflare } from '../../../../doubles/cloudflare-api/cloudflare.ts'

const staging = readTarget('staging', 'wrangler.toml')

/** The hints of the bucket and of the database. */
const hintsWith = async (REGION: string) => {
  const cloudflare = await startCloudflare()
  const target = { ...staging, vars: { ...staging.vars, REGION } }
  const { changes } = await createMissingResources(await openCloudflare(target, cloudflare.env), target)
  await cloudflare.close()
  const sent = (path: string) => cloudflare.writes.find((call) => call.path === path)?.json
  return { changes, bucket: sent('/r2/buckets'), database: sent('/d1/database') }
}

test.each([
  ['oc weur', 'oc'],
  ['sam', 'enam'],
])('with REGION = "%s" the bucket and the database are made in %s', async (regions, location) => {
  const { changes, bucket, database } = await hintsWith(regions)
  expect(bucket).toEqual({ name: 'haul-staging-media', locationHint: location })
  expect(database).toEqual({ name: 'haul-staging', primary_location_hint: location })
  expect(changes).toContain(`bucket haul-staging-media created in ${location}`)
})

test('without REGION Cloudflare chooses', async () => {
  const { bucket, database } = await hintsWith('')
  expect([bucket, database]).toEqual([{ name: 'haul-staging-media' }, { name: 'haul-staging' }])
})
