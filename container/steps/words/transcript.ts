import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TranscriptBody } from '../../../worker/domain/jobs/view.ts'
import { inOrder, type Segment } from '../../../worker/domain/words/segment.ts'
import { join as joinText } from '../../../worker/domain/words/writing.ts'
import type { RecognizedSpeech } from '../../protocol.ts'
import type { StepContext } from '../step.ts'
import { finished, upload } from '../upload.ts'

export interface Words {
  language: string
  durationSeconds: number
  segments: Segment[]
}

/** Puts a transcript where the Worker wants it, in the shape that it serves. */
export const uploadTranscript = async (
  { language, durationSeconds, segments }: Words,
  { workDir, worker, signal }: StepContext,
): Promise<Pick<RecognizedSpeech, 'transcript' | 'facts'>> => {
  const ordered = inOrder(segments)
  const body: TranscriptBody = { text: joinText(ordered.map(({ text }) => text)), segments: ordered }
  const path = join(workDir, 'transcript.json')
  await writeFile(path, JSON.stringify(body))
  const file = await finished(path)
  const order = { kind: 'transcript', contentType: 'application/json', sizeBytes: file.prefixBytes } as const
  const transcript = await upload(file, order, worker, signal)
  return { transcript, facts: { language, durationSeconds, segments: ordered.length } }
}
