import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TranscriptBody } from '../../../domain/jobs/job-status.ts'
import type { RecognizedSpeech } from '../../../domain/protocol/protocol.ts'
import { inOrder, type Segment } from '../../../domain/words/segment.ts'
import { join as joinText } from '../../../domain/words/writing.ts'
import type { StepContext } from '../step.ts'
import { completeFile, uploadFile } from './upload-file.ts'

export interface TranscriptUpload {
  language: string
  durationSeconds: number
  segments: Segment[]
}

/** Uploads a transcript in the format in which the Worker serves it. */
export const uploadTranscript = async (
  { language, durationSeconds, segments }: TranscriptUpload,
  { workDir, worker, signal }: StepContext,
): Promise<Pick<RecognizedSpeech, 'transcript' | 'facts'>> => {
  const ordered = inOrder(segments)
  const body: TranscriptBody = { text: joinText(ordered.map(({ text }) => text)), segments: ordered }
  const path = join(workDir, 'transcript.json')
  await writeFile(path, JSON.stringify(body))
  const file = await completeFile(path)
  const request = { kind: 'transcript', contentType: 'application/json', sizeBytes: file.prefixBytes } as const
  const transcript = await uploadFile(file, request, worker, signal)
  return { transcript, facts: { language, durationSeconds, segments: ordered.length } }
}
