import { expect } from 'vitest'
import type { CaptionsOrder } from '../../container/protocol.ts'
import { findCaptions } from '../../container/steps/captions.ts'
import type { TranscriptBody } from '../../worker/domain/jobs/view.ts'
import { resultOf, stepBench } from './step-run.ts'

/** The step that finds captions, and what it found at a path of the origin, or of the folder given as `root`. */
export const captionBench = (root?: string) => {
  const bench = stepBench(root)

  const start = (path: string, language: string | null = null) =>
    bench.start<CaptionsOrder>('captions', findCaptions, { url: `${bench.origin.url}${path}`, language })

  const foundAt = async (path: string, language: string | null = null) => {
    await start(path, language)
    const result = resultOf(bench, 'captions')
    if (!result.transcript || !result.facts) throw new Error(`no captions: ${JSON.stringify(bench.log)}`)
    const bytes = bench.fake.stored(result.transcript)
    const { text, segments } = JSON.parse(String(bytes)) as TranscriptBody
    expect(result.facts.segments).toBe(segments.length)
    expect(bench.fake.uploads).toMatchObject([{ kind: 'transcript', contentType: 'application/json' }])
    expect(bench.fake.progress.every(({ downloadedBytes }) => downloadedBytes === 0)).toBe(true)
    return { text, segments, ...result, facts: result.facts }
  }

  const noneAt = async (path: string, language: string | null = null) => {
    await start(path, language)
    const { transcript, facts, durationSeconds, audioBytes, withheld } = resultOf(bench, 'captions')
    expect([transcript, facts]).toEqual([null, null])
    expect(bench.fake.uploads).toEqual([])
    return { durationSeconds, audioBytes, withheld }
  }

  return { bench, start, foundAt, noneAt }
}
