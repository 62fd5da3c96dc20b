import { expect } from 'vitest'
import { findCaptions } from '../../../container/steps/captions.ts'
import type { CaptionsOrder } from '../../../domain/protocol/protocol.ts'
import { readStored } from '../../support/stored-transcript.ts'
import { createStepHarness, resultOf } from './step-harness.ts'

/** Runs the captions step on a path of the test origin, or of the folder given as `root`. */
export const captionsHarness = (root?: string) => {
  const harness = createStepHarness(root)

  const start = (path: string, language: string | null = null) =>
    harness.start<CaptionsOrder>('captions', findCaptions, { url: `${harness.origin.url}${path}`, language })

  const foundAt = async (path: string, language: string | null = null) => {
    await start(path, language)
    const result = resultOf(harness, 'captions')
    if (!result.transcript || !result.facts) throw new Error(`no captions: ${JSON.stringify(harness.log)}`)
    const { text, segments } = readStored(harness.fake.stored(result.transcript))
    expect(result.facts.segments).toBe(segments.length)
    expect(harness.fake.uploads).toMatchObject([{ kind: 'transcript', contentType: 'application/jsonl' }])
    expect(harness.fake.progress.every(({ downloadedBytes }) => downloadedBytes === 0)).toBe(true)
    return { text, segments, ...result, facts: result.facts }
  }

  const noneAt = async (path: string, language: string | null = null) => {
    await start(path, language)
    const { transcript, facts, step: _, ...found } = resultOf(harness, 'captions')
    expect([transcript, facts]).toEqual([null, null])
    expect(harness.fake.uploads).toEqual([])
    return found
  }

  return { harness, start, foundAt, noneAt }
}
