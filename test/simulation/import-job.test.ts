import { expect, test } from 'vitest'
import { runImports } from './imports.ts'

test('an import runs from its start to its webhook', async () => {
  const { statuses, webhooks } = await runImports('1', 1)
  expect(statuses).toEqual(['completed'])
  expect(webhooks).toHaveLength(1)
  expect(JSON.parse(webhooks[0] ?? '')).toMatchObject({ type: 'import.completed' })
})

test('the same seed gives the same events, again in the same process', async () => {
  const first = await runImports('7', 2)
  await runImports('8', 1)
  const again = await runImports('7', 2)
  const other = await runImports('9', 2)
  expect(again).toEqual(first)
  expect(other.trace).not.toBe(first.trace)
})
