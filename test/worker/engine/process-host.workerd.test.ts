import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test } from 'vitest'
import { engineOf } from '../../../worker/engine/client.ts'
import { controlEngine } from '../support/fake-engine.ts'

/** Engines 6 and 7 of ENGINE_URLS, which no other test uses. */
const engineAt = async (index: number) => {
  const port = index + 1
  onTestFinished(async () => {
    await controlEngine(port, { isDead: false, status: 'ok' })
  })
  return { port, engine: engineOf(env.ENGINES, `engine-${index}`) }
}

test('an engine is the URL of ENGINE_URLS with its number', async () => {
  const { port, engine } = await engineAt(6)
  await controlEngine(port, { status: 'draining' })
  expect(await engine.state(1_000)).toMatchObject({ status: 'draining' })
  await controlEngine(port, { status: 'ok' })
  expect(await engine.state(1_000)).toMatchObject({ status: 'ok' })
})

test('a process that answers runs, and one that does not has failed and has no state', async () => {
  const { port, engine } = await engineAt(7)
  expect(await engine.launch()).toBe('running')
  await controlEngine(port, { isDead: true })
  expect([await engine.launch(), await engine.state(1_000)]).toEqual(['failed', null])
})

test('a process is not stopped, because others started it', async () => {
  const { engine } = await engineAt(7)
  await engine.shutDown()
  await engine.destroy()
  expect(await engine.state(1_000)).toMatchObject({ status: 'ok' })
})

test('an engine without a URL does not answer', async () => {
  const engine = engineOf(env.ENGINES, 'engine-99')
  expect([await engine.launch(), await engine.state(1_000)]).toEqual(['starting', null])
})
