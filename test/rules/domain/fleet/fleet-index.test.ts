import { expect, test } from 'vitest'
import { engineName, enginesOfFleet, fleetIndexOf, fleetName, readName } from '../../../../domain/fleet/fleet-index.ts'

/** A hash that changes would send accounts to fleets that do not know their steps. */
test.each([
  ['acc_01KAMC6N3ZV0T8S1B2J4Q5R6W7', 1, 0],
  ['acc_01KAMC6N3ZV0T8S1B2J4Q5R6W7', 4, 1],
  ['acc_01KAMC6N3ZV0T8S1B2J4Q5R6W8', 4, 0],
  ['', 4, 3],
])('account %j of %i fleets belongs to fleet %i', (accountId, fleets, index) => {
  expect(fleetIndexOf(accountId, fleets)).toBe(index)
})

test.each([2, 4, 7])(
  '10,000 accounts are spread over %i fleets and differ by less than a tenth from the mean',
  (fleets) => {
    const counts = Array<number>(fleets).fill(0)
    for (let index = 0; index < 10_000; index++) {
      const fleet = fleetIndexOf(`acc_01KAMC6N3ZV0T8S1B2J4Q${String(index).padStart(5, '0')}`, fleets)
      counts[fleet] = (counts[fleet] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count * fleets - 10_000)).toBeLessThan(1_000)
  },
)

test.each([
  [0, 1, { names: ['engine-0', 'engine-1', 'engine-2', 'engine-3', 'engine-4'], warm: 3 }],
  [0, 2, { names: ['engine-0', 'engine-2', 'engine-4'], warm: 2 }],
  [1, 2, { names: ['engine-1', 'engine-3'], warm: 1 }],
  [5, 6, { names: [], warm: 0 }],
])('fleet %i of %i has these of 5 engines, of which 3 stay warm', (fleet, fleets, engines) => {
  expect(enginesOfFleet(fleet, { fleets, minEngines: 3, maxEngines: 5 })).toEqual(engines)
})

test.each([
  ['fleet-0', fleetName(0), { region: null, index: 0 }],
  ['fleet-weur-3', fleetName(3, 'weur'), { region: 'weur', index: 3 }],
  ['engine-12', engineName(12), { region: null, index: 12 }],
  ['engine-oc-1', engineName(1, 'oc'), { region: 'oc', index: 1 }],
])('the name %s says the region and the number', (name, made, read) => {
  expect(made).toBe(name)
  expect(readName(name)).toEqual(read)
})
