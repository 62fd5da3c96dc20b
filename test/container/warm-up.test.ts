import { expect, test } from 'vitest'
import { warmUp } from '../../container/warm-up.ts'

const machine = () => {
  const state = { isIdle: false }
  const started: string[] = []
  const logged: string[] = []
  const parts = {
    reader: async () => {
      started.push('reader')
      throw new Error('broken')
    },
    extractor: async () => {
      started.push('extractor')
    },
  }
  const checks: boolean[] = []
  const isIdle = () => {
    checks.push(state.isIdle)
    return state.isIdle
  }
  const warming = warmUp(parts, isIdle, (event) => void logged.push(event), 1)
  return { state, started, logged, checks, warming }
}

test('nothing is warmed up while steps run, then one part after the other, also after one that fails', async () => {
  const { state, started, logged, checks, warming } = machine()
  await expect.poll(() => checks.length).toBeGreaterThan(3)
  expect(started).toEqual([])
  state.isIdle = true
  await warming
  expect([started, logged]).toEqual([['reader', 'extractor'], ['reader not ready']])
})
