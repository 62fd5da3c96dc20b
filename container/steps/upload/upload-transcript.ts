import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecognizedSpeech } from '../../../domain/protocol/protocol.ts'
import type { StoredTranscript } from '../../../domain/words/transcript-body.ts'
import type { StepContext } from '../step.ts'
import { completeFile, uploadFile } from './upload-file.ts'

export interface TranscriptUpload {
  language: string
  durationSeconds: number
  transcript: StoredTranscript
}

export const uploadTranscript = async (
  { language, durationSeconds, transcript: { body, endSeconds, ...stored } }: TranscriptUpload,
  { workDir, worker, signal }: StepContext,
): Promise<Pick<RecognizedSpeech, 'transcript' | 'facts'>> => {
  const path = join(workDir, 'transcript.json')
  await writeFile(path, body)
  const file = await completeFile(path)
  const request = { kind: 'transcript', contentType: 'application/json', sizeBytes: file.prefixBytes } as const
  const transcript = await uploadFile(file, request, worker, signal)
  return { transcript, facts: { language, durationSeconds, ...stored } }
}
