import { expect, test } from 'vitest'
import type { SpeechModel } from '../../../domain/protocol/protocol.ts'
import { openFleet } from '../support/fleet.ts'

/** What a fleet keeps of the models of its engines, so that they are known while none runs. */

const small: SpeechModel = {
  ...{ name: 'small', isDefault: true, languages: 'all', speed: null },
  ...{ words: true, vocabulary: true, translation: true },
}
const english: SpeechModel = { ...small, name: 'english', isDefault: false, languages: ['en'], words: false }

const offered = (model: SpeechModel, speakers: boolean) => ({ ...model, engine: 'builtin', speakers })

const twoEngines = async () => {
  const fleet = await openFleet({ warm: 2, areElsewhere: true })
  const [one, other] = [fleet.engine('engine-0'), fleet.engine('engine-1')]
  for (const engine of [one, other]) engine.isUp = true
  const said = () => fleet.call(async (object) => object.models())
  return { fleet, one, other, said }
}

test('nobody knows the models before an engine has said them, and an engine without any says that too', async () => {
  const { fleet, one, said } = await twoEngines()
  await fleet.round()
  expect(await said()).toEqual({ models: null, tellsSpeakers: null })
  one.models = []
  await fleet.round()
  expect(await said()).toEqual({ models: [], tellsSpeakers: null })
})

test('the models of all engines are offered, and speakers by those that tell words', async () => {
  const { fleet, one, other, said } = await twoEngines()
  Object.assign(one, { models: [small], speakers: true })
  other.models = [{ ...small, speed: 4.2 }, english]
  await fleet.round()
  expect(await said()).toEqual({
    models: [offered({ ...small, speed: 4.2 }, true), offered(english, false)],
    tellsSpeakers: true,
  })
  one.speakers = false
  await fleet.round()
  expect((await said()).models?.map(({ speakers }) => speakers)).toEqual([false, false])
})

test('they are known after an eviction, and while no engine runs', async () => {
  const { fleet, one, other, said } = await twoEngines()
  Object.assign(one, { models: [small], speakers: true })
  await fleet.round()
  const known = await said()
  await fleet.evict()
  expect(await said()).toEqual(known)
  Object.assign(one, { isUp: false, launchResult: 'failed' })
  Object.assign(other, { isUp: false, launchResult: 'failed' })
  await fleet.round()
  expect(await said()).toEqual(known)
})

test('what an engine has said stays while it looks again after a restart', async () => {
  const { fleet, one, said } = await twoEngines()
  Object.assign(one, { models: [small], speakers: true })
  await fleet.round()
  Object.assign(one, { models: undefined, speakers: undefined })
  await fleet.round()
  expect(await said()).toEqual({ models: [offered(small, true)], tellsSpeakers: true })
})

test('when an engine says other models, those of engines that have stopped are forgotten', async () => {
  const { fleet, one, other, said } = await twoEngines()
  const names = async () => (await said()).models?.map(({ name }) => name)
  Object.assign(one, { models: [small] })
  Object.assign(other, { models: [small, english] })
  await fleet.round()
  Object.assign(other, { isUp: false, launchResult: 'failed' })
  await fleet.round()
  Object.assign(one, { models: [{ ...small, speed: 3 }] })
  await fleet.round()
  expect(await names()).toEqual(['small', 'english'])
  Object.assign(one, { models: [{ ...small, name: 'large' }] })
  await fleet.round()
  expect(await names()).toEqual(['large'])
})
