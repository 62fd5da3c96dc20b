import { isInShare } from '../../domain/account/part-of.ts'
import type { Step } from '../../domain/jobs/transcript.ts'
import type { AccountReport, EndedJob } from '../../domain/metrics/account-report.ts'
import { micros, toDollars } from '../../domain/money/money.ts'
import { configOf } from '../env.ts'
import { logEvent } from '../log.ts'
import { metricsOf } from './metrics-of.ts'

/** Throws if the report may be lost. An ended job is logged once, however often it is reported. */
export const reportAccount = async (env: Env, report: AccountReport): Promise<void> => {
  const { accountId, ended } = report
  const { isNewEnd } = await metricsOf(env, accountId).report(report)
  if (!ended || !isNewEnd) return
  logEndedJob(env, accountId, ended)
  writePoint(env, accountId, ended)
}

/** Log analysis that counts lines multiplies by the share. What went wrong is always there. */
export const logEndedJob = (env: Env, accountId: string, job: EndedJob): void => {
  if (job.outcome === 'completed' && !isInShare(job.jobId, configOf(env).JOB_LOG_SAMPLE)) return
  const { jobId, kind, outcome, code, host, seconds, waitedSeconds, bytesIn, bytesOut } = job
  const { costMicros, requestId, version } = job
  logEvent('job.ended', {
    ...{ jobId, accountId, kind, outcome, code, host, seconds, waitedSeconds, bytesIn, bytesOut },
    costDollars: toDollars(micros(costMicros)),
    ...(requestId !== null && { requestId }),
    ...(version && { ytDlp: version }),
  })
}

/** The order of the last doubles of a point. It never changes: new steps are added at the end. */
const pointSteps = ['fetch', 'deliver', 'captions', 'audio', 'recognize'] as const satisfies Step[]

export const writePoint = (env: Env, accountId: string, job: EndedJob): void => {
  const { kind, outcome, code, host, seconds, waitedSeconds, bytesIn, bytesOut, costMicros } = job
  const stepSeconds = pointSteps.map((step) => seconds[step] ?? 0)
  const totalSeconds = stepSeconds.reduce((sum, each) => sum + each, waitedSeconds)
  env.ANALYTICS?.writeDataPoint({
    indexes: [accountId],
    blobs: [kind, outcome, code, host],
    doubles: [bytesIn, bytesOut, toDollars(micros(costMicros)), totalSeconds, ...stepSeconds],
  })
}
