import { type Job, mediaOf } from './job.ts'
import { wordsOfParts } from './parts.ts'
import type { Transcript } from './transcript.ts'

/** What may be read of a job: its transcript, else the first of its captions. null: there is none, or it was removed. */
export const readableTranscript = (job: Job): Transcript | null => {
  if (job.kind === 'transcription') return job.removedAt === null ? job.result : null
  const [words] = job.state === 'completed' ? wordsOfParts(job.parts ?? []) : []
  return words ? withChapters(job, words) : null
}

/** Words of an import have the chapters of its media. */
export const withChapters = (job: Job, words: Transcript): Transcript => ({
  ...words,
  chapters: mediaOf(job)?.chapters ?? words.chapters,
})
