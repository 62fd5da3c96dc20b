import { z } from 'zod'
import { providerSlots } from '../../../../domain/jobs/job.ts'
import { TranscribeBody } from '../../jobs/transcribe-request.ts'
import { HttpUrl } from '../../schemas.ts'
import { JobOutput } from '../job-answer.ts'
import { refuseArguments } from '../problems.ts'
import { startAndFollow } from '../start-and-follow.ts'
import { tool } from '../tool.ts'

const DEFAULT_MAX_DOLLARS = 0.5

export const transcribe = tool({
  name: 'transcribe',
  title: 'Transcribe a video or audio',
  description:
    'Turn the speech of a video or audio into text with times. Without provider it takes the captions of the source, for $0.01. If there are none, the error names the price of speech recognition: call again with provider "builtin" ($0.02 a minute, at least $0.03, plus $0.01 for each MB downloaded). Answers with the beginning of the transcript and a cursor for read_transcript; a job that takes longer than 45 seconds answers with a job_id for check_job. The same call within an hour returns the same job without another charge. Failed jobs are free.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    url: HttpUrl.optional().describe('The address of a page or of a file with media. Give either url or import_id.'),
    import_id: z
      .string()
      .min(1)
      .optional()
      .describe('The job_id of a completed import_media: nothing is downloaded again.'),
    language: TranscribeBody.shape.language.describe(
      'A code such as en or pt-BR: of the captions, or as spoken. When omitted, the language of the media.',
    ),
    provider: z
      .enum(['builtin', ...providerSlots])
      .optional()
      .describe(
        'Recognize the speech instead of taking captions. builtin needs no key. provider_a, provider_b and provider_c are services whose key the user has stored (OpenAI, Deepgram and AssemblyAI, unless the operator chose others).',
      ),
    max_cost_dollars: TranscribeBody.shape.maxCostDollars
      .default(DEFAULT_MAX_DOLLARS)
      .describe('The most that this call may cost. A higher price is an error that names it, and costs nothing.'),
  }),
  output: JobOutput,
  run: async ({ url, import_id: importId, language, provider, max_cost_dollars: maxCostDollars }, call) => {
    if ((url === undefined) === (importId === undefined)) {
      return refuseArguments('Either url or import_id is required, and not both.')
    }
    return startAndFollow(call, '/transcribe', { url, importId, language, provider, maxCostDollars })
  },
})
