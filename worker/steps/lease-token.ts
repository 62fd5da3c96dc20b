import type { Step } from '../../domain/jobs/transcript.ts'
import { isSigned, sign } from '../../domain/secrets/signed-text.ts'

/** Signed: a forged report is rejected before it reaches the account, which is known without a lookup. */
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
  const text = token.slice(0, Math.max(0, token.lastIndexOf('.')))
  const [accountId, jobId, step, attempt, lease, ...rest] = text.split('.')
  if (!accountId || !jobId || !step || !attempt || !lease || rest.length > 0) return null
  if (!(await isSigned(key, text, token.slice(text.length + 1)))) return null
  return { accountId, jobId, step: step as Step, attempt: Number(attempt), lease }
}
