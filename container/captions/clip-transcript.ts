import type { Clip } from '../../domain/protocol/protocol.ts'
import type { TranscriptBody } from '../../domain/words/transcript-body.ts'
import { type StoredTranscript, storedTranscript } from '../../domain/words/transcript-body.ts'

/** The segments that overlap a clip, with their own times. Called in the reader process. */
export const clipTranscript = (body: Uint8Array, { startSeconds, endSeconds }: Clip): StoredTranscript => {
  const { segments }: TranscriptBody = JSON.parse(new TextDecoder().decode(body))
  const [from, to] = [startSeconds ?? 0, endSeconds ?? Number.POSITIVE_INFINITY]
  return storedTranscript(segments.filter(({ start, end }) => start < to && end > from))
}
