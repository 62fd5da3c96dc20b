import { expect, test } from 'vitest'
import last from './last/rpc.json' with { type: 'json' }
import { changedMethods, digestsOfRpc } from './rpc-digests.ts'

/**
 * Two versions call each other during a deployment. What may change in a method is a rule that people apply
 * (docs/operating.md, "What a release may change"); this test makes sure that they are asked.
 */
test('what the Worker and its objects say to each other is what was recorded', { timeout: 300_000 }, async () => {
  const changed = changedMethods(last, await digestsOfRpc())
  expect(changed, 'If the rule allows it: npm run release:record -- rpc').toEqual([])
})

test('a changed and a missing method are named, and a new one is allowed', () => {
  const recorded = { 'AccountObject.admit': '1', 'AccountObject.claim': '2', 'AccountObject.report': '3' }
  expect(changedMethods(recorded, { 'AccountObject.admit': '9', 'AccountObject.claim': '2', new: '4' })).toEqual([
    'AccountObject.admit has other arguments or another result',
    'AccountObject.report is missing',
  ])
})
