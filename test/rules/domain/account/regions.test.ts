import { expect, test } from 'vitest'
import { containerRegions, inRegion, type Region, readRegions, regionOf } from '../../../../domain/account/regions.ts'
import { isId, newId } from '../../../../domain/ids.ts'
import wranglerSchema from '../../../../node_modules/wrangler/config-schema.json' with { type: 'json' }

const all: Region[] = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']
const accountId = newId('account', Date.UTC(2026, 10, 25))

test.each([
  ['weur', ['weur']],
  ['enam weur', ['enam', 'weur']],
  ['oc  weur oc', ['oc', 'weur']],
])('REGION = "%s" lists the regions %j', (text, regions) => expect(readRegions(text)).toEqual(regions))

test.each(['WEUR', 'weur,enam', 'europe'])('REGION = "%s" is refused', (text) => {
  expect(() => readRegions(text)).toThrow(`REGION has "${text}", which is none of wnam, enam, sam,`)
})

test.each([
  ['an account keeps the region in which it was created', inRegion(accountId, 'weur'), ['oc', 'weur'], 'weur'],
  ['an account without a region stays with the oldest region', accountId, ['oc', 'weur'], 'weur'],
  ['an account of a region that is not served moves to the oldest', inRegion(accountId, 'sam'), ['oc', 'enam'], 'enam'],
  ['without REGION no account has a region', inRegion(accountId, 'weur'), [], null],
] as const)('%s', (_, id, regions, region) => expect(regionOf(id, regions)).toBe(region))

test.each(all)('the id of an account in %s is an id of an account, and of nothing else', (region) => {
  const id = inRegion(accountId, region)
  expect([isId('account', id), isId('import', id), isId('account', `${id}x`)]).toEqual([true, false, false])
})

test.each([
  [['oc'], ['OC', 'APAC']],
  [['afr'], ['AFR', 'WEUR']],
  [
    ['enam', 'weur'],
    ['ENAM', 'WEUR'],
  ],
  [
    ['apac', 'oc'],
    ['APAC', 'OC'],
  ],
] as const)('containers of %j may be in %j', (regions, allowed) => expect(containerRegions(regions)).toEqual(allowed))

test('wrangler knows all regions of containers', () => {
  const known = wranglerSchema.definitions.ContainerApp.properties.constraints.properties.regions.items.enum
  expect(known).toEqual(expect.arrayContaining(containerRegions(all)))
})

test('a region of containers whose capacity is limited is never the only one', () => {
  const limited = ['OC', 'AFR', 'ME']
  for (const region of all) {
    expect(containerRegions([region]).filter((allowed) => !limited.includes(allowed))).not.toEqual([])
  }
})
