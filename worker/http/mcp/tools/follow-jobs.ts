import { z } from 'zod'
import { isTerminal } from '../../../../domain/jobs/job.ts'
import { toDollars } from '../../../../domain/money/money.ts'
import { cancelStep } from '../../fleet-calls.ts'
import { account, identity } from '../../request-context.ts'
import { dollars, outputOf } from '../answer.ts'
import { JobOutput, jobAnswer, readJob, waitForEnd } from '../job-answer.ts'
import { kindOf, refusedAnswer } from '../problems.ts'
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

export const cancelJob = tool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancel a job that is queued or running. It costs nothing then. A job that has ended stays as it is: nothing is deleted.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ job_id: JobId }),
  output: outputOf({
    job_id: z.string(),
    status: z.enum(['completed', 'failed']),
    is_canceled: z.boolean(),
  }),
  run: async ({ job_id }, { c }) => {
    const { result } = await account(c).cancel(identity(c), job_id)
    if (!result.ok) return refusedAnswer(result.refusal, job_id)
    const { job } = result.value
    if (!isTerminal(job.state)) throw new Error(`${job.id} was not canceled`)
    const isCanceled = job.failure?.code === 'CANCELED'
    if (isCanceled) cancelStep(c, { jobId: job.id, attempt: job.leaseNumber })
    const charged = job.result ? toDollars(job.result.costMicros) : 0
    const stored = job.kind === 'import' ? 'its file' : 'its transcript'
    return {
      lines: [
        isCanceled
          ? `${kindOf(job)} ${job.id} is canceled. It was charged nothing.`
          : job.state === 'completed'
            ? `${kindOf(job)} ${job.id} had completed already and was charged ${dollars(charged)}. Nothing was canceled, and ${stored} was not deleted.`
            : `${kindOf(job)} ${job.id} had failed already. There was nothing to cancel, and it was charged nothing.`,
      ],
      data: { job_id: job.id, status: job.state, is_canceled: isCanceled, charged_dollars: charged },
    }
  },
})
