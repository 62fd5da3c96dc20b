import type { TranscriptionJob, TranscriptResult } from '../../../domain/jobs/job.ts'
import { storedTranscript } from '../../../domain/words/transcript-body.ts'
import type { OpenTranscript } from '../../media/json-with-transcript.ts'
import { openTranscript, writtenFile } from '../../media/transcripts.ts'
import type { WrittenFormat } from '../../speech/transcript-formats.ts'
import { defaultLayout } from '../../speech/transcript-layout.ts'

/** What a job has led to, in whatever format it is written. */
export interface EndedTranscript
  extends Pick<
    TranscriptResult,
    'language' | 'languageProbability' | 'durationSeconds' | 'hasWords' | 'hasSpeakers' | 'title' | 'chapters'
  > {
  /** null: it was removed. */
  open(withWords: boolean): Promise<OpenTranscript | null>
}

export const transcriptOf = (env: Env, job: TranscriptionJob, result: TranscriptResult): EndedTranscript => ({
  ...result,
  open: (withWords) => openTranscript(env, job, { withWords }),
})

/** The transcript of media without speech. */
export const silence = ({ carry, progress }: TranscriptionJob): EndedTranscript => ({
  language: UNKNOWN,
  durationSeconds: carry?.durationSeconds ?? progress?.durationSeconds ?? 0,
  hasWords: false,
  hasSpeakers: false,
  title: null,
  chapters: [],
  open: async () => {
    const { body } = storedTranscript([])
    return { body: new Blob([body as Uint8Array<ArrayBuffer>]).stream(), sizeBytes: body.length }
  },
})

const UNKNOWN = 'und'

/** As a file of GET /transcribe/transcript. null: it was removed. */
export const asFile = async (
  transcript: EndedTranscript,
  format: WrittenFormat,
  { speakers = false } = {},
): Promise<ReadableStream<Uint8Array> | null> => {
  const opened = await transcript.open(false)
  return opened && writtenFile(opened, format, { ...defaultLayout, speakers }, transcript)
}
