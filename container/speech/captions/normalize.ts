import { inOrder, type Segment } from '../../../worker/domain/words/segment.ts'
import { join } from '../../../worker/domain/words/writing.ts'
import type { Cue } from './cue.ts'
import { isRolling, unroll } from './rolling.ts'

/** Cues as their file has them → segments: ordered, not overlapping, no line twice, one line each. */
export const normalize = (cues: Cue[]): Segment[] => {
  const sorted = cues.toSorted((a, b) => a.start - b.start)
  return inOrder((isRolling(sorted) ? unroll(sorted) : sorted).map(onOneLine))
}

/** `[Music]` and `♪` stay: they are what the captions say. */
const onOneLine = (cue: Cue): Segment => ({ ...cue, text: join(cue.text.split('\n').map((line) => line.trim())) })
