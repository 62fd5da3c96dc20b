import { expect, test } from 'vitest'
import { fleetWith, placed, step } from '../../../../rules/domain/fleet/small-fleet.ts'
import { countOperations } from '../../operations.ts'

/** The operations of a placement on 200 full engines while so many accounts wait in line. */
const operationsOfPlacement = (accounts: number): number => {
  const fleet = fleetWith(200)
  const running = Array.from({ length: 800 }, (_, index) => placed(fleet, step(`acc_${index}`, `job_${index}`)).id)
  for (let index = 0; index < accounts; index++) fleet.request(step(`acc_${index}`, `next_${index}`), 1)
  const { operations, result } = countOperations(() => {
    let placements = 0
    for (let index = 0; index < PLACEMENTS; index++) {
      fleet.free(running.shift() ?? '', 2)
      for (const { id, accountId } of fleet.dispatch(2)) {
        placements++
        running.push(id)
        fleet.request(step(accountId, `later_${index}`), 2)
      }
    }
    return placements
  })
  expect(result).toBe(PLACEMENTS)
  return operations / PLACEMENTS
}
const PLACEMENTS = 500

test('a placement reads the line once: with ten times as many accounts in it, it takes at most ten times as many operations', () => {
  const [few, many] = [1_000, 10_000].map(operationsOfPlacement) as [number, number]
  expect(many).toBeLessThan(11 * few)
  expect(many).toBeLessThan(100_000)
})
