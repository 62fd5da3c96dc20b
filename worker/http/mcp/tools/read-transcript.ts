import { z } from 'zod'
import { refusal } from '../../../../domain/codes/refusals.ts'
import { hadWords } from '../../../../domain/jobs/parts.ts'
import { toDollars } from '../../../../domain/money/money.ts'
import { dollars } from '../../../../domain/money/price-text.ts'
import { outputOf } from '../answer.ts'
import { jobAnswer } from '../job-answer.ts'
import { refuseArguments, refusedAnswer } from '../problems.ts'
import { readJob } from '../start-and-follow.ts'
import { tool } from '../tool.ts'
import { BEGINNING, type PageRequest, readCursor } from '../transcript/page.ts'
import { wordsOf } from '../transcript/passages.ts'
import {
  DEFAULT_CHARACTERS,
  type PassagesRequest,
  readPassages,
  readRange,
  TranscriptFields,
} from '../transcript/read.ts'
import { JobId } from './jobs.ts'

const Seconds = z.number().min(0)

const Input = z.strictObject({
  job_id: JobId,
  cursor: z.string().optional().describe('From an earlier answer: continues where that one ended.'),
  start: Seconds.optional().describe('Only what is said from this second on.'),
  end: Seconds.optional().describe('Only what is said before this second.'),
  query: z.string().max(200).optional().meta({
    description: 'Words to look for, whatever their case and accents. Answers with the passages that contain them.',
  }),
  max_chars: z.number().int().min(500).max(50_000).default(DEFAULT_CHARACTERS).meta({
    description: 'The most characters of the text.',
  }),
})

export const readTranscript = tool({
  name: 'read_transcript',
  title: 'Read a transcript',
  description:
    'Read the transcript or the captions of a completed job: from the beginning, on from a cursor, from start to end in seconds, or only the passages that contain the words of a query. Give one of cursor, start and end, or query. Paragraphs begin with their time in seconds, such as [62.4]. Free.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: Input,
  output: outputOf({ job_id: z.string(), ...TranscriptFields }),
  run: async (args, call) => {
    const wanted = wantedOf(args)
    if (typeof wanted === 'string') return refuseArguments(wanted)
    const read = await readJob(call, args.job_id)
    if (!read.ok) return refusedAnswer(read.refusal, args.job_id)
    const { job } = read.value
    if (job.failure) return jobAnswer(call, job)
    if (!job.result) return refusedAnswer(refusal('TRANSCRIPT_NOT_READY'), job.id)
    if (job.kind === 'import' && !hadWords(job.parts ?? [])) {
      return refuseArguments(`${job.id} is an import without words. Call transcribe with import_id "${job.id}" first.`)
    }
    const { env } = call.c
    const part = 'query' in wanted ? await readPassages(env, job, wanted) : await readRange(env, job, wanted)
    if (!part) return refusedAnswer(notStored, job.id)
    const charged = toDollars(job.result.costMicros)
    return {
      lines: [part.line, `Reading is free. The job was charged ${dollars(charged)} in total (${job.id}).`],
      data: { job_id: job.id, ...part.data, charged_dollars: charged },
      quoted: part.quoted,
    }
  },
})

const notStored = refusal('MEDIA_EXPIRED', {}, 'The transcript is not stored any more.')

const wantedOf = (args: z.output<typeof Input>): PassagesRequest | PageRequest | string => {
  const { cursor, start, end, query, max_chars: maxCharacters } = args
  const isRange = start !== undefined || end !== undefined
  if ([cursor !== undefined, isRange, query !== undefined].filter(Boolean).length > 1) {
    return 'Give only one of cursor, start and end, or query.'
  }
  if (cursor !== undefined) {
    const position = readCursor(cursor)
    if (!position) return 'cursor is not one that an earlier answer returned.'
    if ('query' in position) {
      const { query, needed, part } = position
      return { query, needed, from: part, maxCharacters }
    }
    const { endSeconds, ...from } = position
    return { from, startSeconds: 0, endSeconds, maxCharacters }
  }
  if (query !== undefined) {
    return wordsOf(query).length === 0 ? 'query must contain a word.' : { query, needed: null, from: 0, maxCharacters }
  }
  if (end !== undefined && end <= (start ?? 0)) return 'end must be after start.'
  return { from: BEGINNING, startSeconds: start ?? 0, endSeconds: end ?? null, maxCharacters }
}
