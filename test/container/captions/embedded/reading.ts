import { listTracks, readTrack } from '../../../../container/captions/embedded/read-embedded.ts'
import { SourceFailure } from '../../../../container/failures.ts'
import type { Answer, KnownBytes } from '../../../../container/source/index/sparse-file.ts'
import { readSection } from '../../../../domain/words/transcript-body.ts'

/** Why the captions of a file were not read. */
export class NotRead extends SourceFailure {
  constructor(reason: string) {
    super('SOURCE_UNSUPPORTED', reason)
  }
}

/** The first bytes of a file, which are known from the start. */
const headBytes = 1_024
const maxRounds = 20

/** Reads tracks of a file as the container does, and counts the bytes that it would fetch. */
export const reading = (file: Buffer) => {
  const known: KnownBytes = { sizeBytes: file.length, parts: [{ start: 0, bytes: file.subarray(0, headBytes) }] }
  const budget = { bytes: 32_000_000, requests: 4_000 }
  let rounds = 0
  const answered = <T>(ask: () => Answer<T>): T => {
    for (;;) {
      const answer = ask()
      if ('found' in answer) return answer.found
      if ('outOfReach' in answer) throw new NotRead(answer.outOfReach)
      if (++rounds > maxRounds) throw new NotRead('too many rounds')
      for (const { start, end } of answer.fetch) {
        budget.bytes -= end - start
        budget.requests--
        known.parts.push({ start, bytes: file.subarray(start, end) })
      }
    }
  }
  return {
    tracks: () => answered(() => listTracks(known, budget)),
    segments: (id: number, startSeconds = 0) => {
      const { body } = answered(() => readTrack(known, id, startSeconds, budget))
      return readSection(body).segments
    },
    fetchAll: () => {
      known.parts = [{ start: 0, bytes: file }]
    },
    get fetchedBytes() {
      return 32_000_000 - budget.bytes
    },
  }
}
