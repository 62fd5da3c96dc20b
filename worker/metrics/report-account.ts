import type { AccountReport } from '../../domain/metrics/account-report.ts'
import { metricsOf } from './metrics-of.ts'

/** Throws if the report may be lost. It can be repeated. */
export const reportAccount = async (env: Env, report: AccountReport): Promise<void> => {
  await metricsOf(env, report.accountId).report(report)
}
