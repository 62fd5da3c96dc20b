import type { AccountReport } from '../../domain/metrics/account-report.ts'
import { logEndedJob, writePoint } from './ended-jobs.ts'
import { metricsOf } from './metrics-of.ts'

/**
 * Throws if the report may be lost. It can be repeated: the metrics object says whether it has counted the end before, so
 * an ended job has one log line, or none if that answer was lost.
 */
export const reportAccount = async (env: Env, report: AccountReport): Promise<void> => {
  const { accountId, ended } = report
  const { isNewEnd } = await metricsOf(env, accountId).report(report)
  if (!ended || !isNewEnd) return
  logEndedJob(env, accountId, ended)
  writePoint(env, accountId, ended)
}
