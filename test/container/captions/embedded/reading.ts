import { listTracks, readTrack } from '../../../../container/captions/embedded/read-embedded.ts'
import { SourceFailure } from '../../../../container/failures.ts'
import type { Answer, KnownBytes } from '../../../../container/source/index/sparse-file.ts'
import { readSection } from '../../../../domain/words/transcript-body.ts'

/** Why a file was not read any further. */
export class NotRead extends SourceFailure {
  constructor(reason: string) {
    super('SOURCE_UNSUPPORTED', reason)
  }
}

/** Answers what is asked of a file as the container does: at first only its beginning is known. */
export const knownParts = (file: Buffer, headBytes = 1_024, maxRounds = 20) => {
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
  return { known, budget, answered }
}

/** Reads tracks of a file, and counts the bytes that would be fetched. */
export const reading = (file: Buffer) => {
  const { known, budget, answered } = knownParts(file)
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
