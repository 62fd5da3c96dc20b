import type { Context } from 'hono'
import { refusal } from '../../../domain/codes/refusals.ts'
import type { TranscribeRequest } from '../../../domain/jobs/job.ts'
import { transcriptionHold } from '../../../domain/money/bill.ts'
import { assessSource } from '../../check-source-url.ts'
import type { HttpEnv } from '../request-context.ts'
import { sealedKeyFor } from '../routes/provider-keys.ts'
import { transcriptionProblem } from './options-problem.ts'
import type { JobAssessment } from './start-job.ts'
import type { TranscribeOptions } from './transcribe-request.ts'

/** The checks of a valid request for a single transcription that need no account. */
export const assessTranscription = async (
  c: Context<HttpEnv>,
  options: TranscribeOptions,
  request: TranscribeRequest,
): Promise<JobAssessment> => {
  const problem = await transcriptionProblem(c, options)
  if (problem) return { ok: false, refusal: problem }
  const key = await sealedKeyFor(c, options)
  if (!key) return { ok: false, refusal: refusal('PROVIDER_KEY_REQUIRED') }
  // A stored file is looked for in the call that admits the job.
  const source =
    request.url === null
      ? { hold: transcriptionHold(request, 0), diskBytes: null }
      : await assessSource(c.env, request.url, { kind: 'transcription', request })
  if (!source) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  return { ok: true, ...source, sealedKey: key.sealed }
}
