import type { TranscriptBody } from '../jobs/job-status.ts'
import { inOrder, type Segment } from './segment.ts'
import { join } from './writing.ts'

/** A transcript in the form in which it is stored, and the facts about it that are reported with it. */
export interface StoredTranscript {
  body: Uint8Array
  segments: number
  /** When the last segment ends; 0 without segments. */
  endSeconds: number
}

export const storedTranscript = (segments: Iterable<Segment>): StoredTranscript => {
  const ordered = inOrder(segments)
  const body: TranscriptBody = { text: join(ordered.map(({ text }) => text)), segments: ordered }
  return {
    body: new TextEncoder().encode(JSON.stringify(body)),
    segments: ordered.length,
    endSeconds: ordered.at(-1)?.end ?? 0,
  }
}
