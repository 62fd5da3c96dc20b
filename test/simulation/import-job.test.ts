import { expect, onTestFinished, test } from 'vitest'
import { importFilm, newKey, openWorld, runImports } from './imports.ts'

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

test('imports complete although the first answer of each internal call is lost', async () => {
  const methods = new Set(['add', 'claim', 'reportProgress', 'noteUpload', 'finishFetch', 'ended', 'claimDelivery'])
  const onCall = ({ method }: { method: string }) =>
    methods.delete(method) ? ({ lose: 'response' } as const) : undefined
  const { statuses } = await runImports('lossy', 2, { objects: { onCall } })
  expect(statuses).toEqual(['completed', 'completed'])
  expect([...methods]).toEqual([])
})

test('an import completes although its engine is killed while its step runs', async () => {
  const { world } = openWorld({ seed: 'killed', engines: { drainMs: 0 } })
  onTestFinished(() => world.close())
  world.clock.schedule(5_500, null, 'kill', () => world.containers.processes()[0]?.kill())
  const status = await world.perform(world.caller('caller'), async () => importFilm(world, await newKey(world), 'film'))
  expect(status).toBe('completed')
})
