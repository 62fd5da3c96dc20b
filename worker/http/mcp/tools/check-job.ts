import { z } from 'zod'
import { JobOutput, jobAnswer } from '../job-answer.ts'
import { refusedAnswer } from '../problems.ts'
import { readJob, waitForEnd } from '../start-and-follow.ts'
import { tool } from '../tool.ts'

export const JobId = z.string().min(1).describe('The job_id that transcribe or import_media returned.')

export const checkJob = tool({
  name: 'check_job',
  title: 'Check a job',
  description:
    'See how far a job is. Waits up to 45 seconds for its end. A completed transcription answers with the beginning of the transcript, a completed import with a link to the file, a failed job with the reason and what to do. Free.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({ job_id: JobId }),
  output: JobOutput,
  run: async ({ job_id }, call) => {
    const read = await readJob(call, job_id)
    return read.ok ? jobAnswer(call, await waitForEnd(call, read.value)) : refusedAnswer(read.refusal, job_id)
  },
})
