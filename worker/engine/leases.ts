import type { Step } from '../domain/jobs/job.ts'
import { isSigned, sign } from '../domain/secrets/tokens.ts'

/**
 * What the container shows with each report: whose job it works on, and under which lease. Signed, so that
 * a report is judged before the account is bothered, and names its account without a look-up.
 */
export interface Lease {
  accountId: string
  jobId: string
  step: Step
  attempt: number
  lease: string
}

export const leaseToken = async (
  key: CryptoKey,
  { accountId, jobId, step, attempt, lease }: Lease,
): Promise<string> => {
  const text = [accountId, jobId, step, attempt, lease].join('.')
  return `${text}.${await sign(key, text)}`
}

export const readLease = async (key: CryptoKey, token: string): Promise<Lease | null> => {
  const [accountId, jobId, step, attempt, lease, signature] = token.split('.')
  if (!accountId || !jobId || !step || !attempt || !lease || !signature) return null
  const text = [accountId, jobId, step, attempt, lease].join('.')
  if (!(await isSigned(key, text, signature))) return null
  return { accountId, jobId, step: step as Step, attempt: Number(attempt), lease }
}
