import { expect, test } from 'vitest'
import { createGuard } from '../../../../container/egress/guard.ts'
import { type SharedTools, untilServed } from '../../../../container/source/routes/until-served.ts'
import { scratch } from '../../audio/recordings.ts'
import { never } from '../extractor/site.ts'

const tokenHostIn = async (tools: Pick<SharedTools, 'tokenProvider'>) => {
  const workRoot = scratch()
  const extract = () => Promise.reject(new Error('not called'))
  const session = () => ({ tracked: () => ({ extract, list: extract, readBy: null }), close: () => {} })
  return await untilServed({
    url: null,
    tools: {
      guard: createGuard({ lookup: async () => [] }),
      extractors: { session },
      workRoot,
      log: () => {},
      ...tools,
    },
    signal: never,
    work: async ({ egress }) => egress.tokenHost,
  })
}

test('each job has its own name for the token provider, if the operator has one', async () => {
  const tokenProvider = { requestToken: async () => Buffer.from('{}') }
  const names = [await tokenHostIn({ tokenProvider }), await tokenHostIn({ tokenProvider })]
  expect(names).toEqual([expect.stringMatching(/\.invalid$/), expect.stringMatching(/\.invalid$/)])
  expect(names[0]).not.toBe(names[1])
  expect([await tokenHostIn({ tokenProvider: null }), await tokenHostIn({})]).toEqual([null, null])
})
