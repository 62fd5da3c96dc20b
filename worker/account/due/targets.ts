import type { Job } from '../../../domain/jobs/job.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import type { AccountReport, HeldNote } from '../../../domain/metrics/account-report.ts'
import type { AccountRow } from '../account-row.ts'
import type { TurnMessage } from '../queue-messages.ts'
import type { IndexSize } from '../search/search-state.ts'
import type { DiscardedObject } from './due-rows.ts'

export type ListedFacts = Pick<AccountRow, 'id' | 'name' | 'isSuspended' | 'totals' | 'origins'>

/** Where an account sends what is due. index.ts provides it, because an account knows no bindings. */
export interface Targets {
  /** `diskBytes`: what the step is known to need. */
  sendStep(accountId: string, job: Job, step: Step, diskBytes: number | null): Promise<void>
  sendDelivery(message: { accountId: string; deliveryId: string }): Promise<void>
  sendTurn(message: Omit<TurnMessage, 'v'>): Promise<void>
  sendPolls(accountId: string): Promise<void>
  sendCleanup(accountId: string, jobId: string): Promise<void>
  recordJob(accountId: string, job: Job): Promise<void>
  recordAccount(account: ListedFacts): Promise<void>
  report(report: AccountReport): Promise<void>
  noteHeld(note: HeldNote): Promise<void>
  removeJobs(accountId: string, before: string, kept: string[]): Promise<void>
  /** `isLastAbort`: uploads that cannot be aborted are left to R2. */
  discardMedia(objects: DiscardedObject[], isLastAbort: boolean): Promise<void>
  /** The index reads what is to be found of a job from the account. */
  updateWords(accountId: string, jobId: string): Promise<IndexSize>
  emptyWords(accountId: string): Promise<void>
  withholdMedia(key: string): Promise<void>
}
