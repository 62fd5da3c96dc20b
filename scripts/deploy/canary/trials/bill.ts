import type { FullCanary, Trial } from '../trial.ts'

/** One service on one day (FOCUS, https://focus.finops.org). The API is an alpha: it has been renamed before. */
interface BillLine {
  ServiceName: string
  ChargePeriodStart: string
  ConsumedQuantity: number
  ConsumedUnit?: string
  ContractedCost?: number
  BilledCost?: number
}

const PATHS = ['/billable-usage', '/billing/usage/paygo']

export const readBill: Trial = {
  title: 'canary: the lines of the bill',
  run: async (canary) => {
    const lines = await usageOf(canary)
    if (typeof lines === 'string')
      return `NOT TESTED: the bill (${lines}). The dashboard has it under Billing, Billable usage`
    const day = lines.map(dayOf).sort().at(-1)
    if (!day) return 'NOT TESTED: the bill has no lines yet. Run `--canary full` again tomorrow'
    const ofDay = lines.filter((line) => dayOf(line) === day && line.ConsumedQuantity > 0)
    const sum = ofDay.reduce((dollars, line) => dollars + costOf(line), 0)
    const text = ofDay.map(
      (line) =>
        `${line.ServiceName}: ${line.ConsumedQuantity.toLocaleString('en')} ${line.ConsumedUnit ?? ''}, $${costOf(line).toFixed(2)}`,
    )
    return [`${day}, the whole account, $${sum.toFixed(2)}. Compare it with docs/cost.md:`, ...text].join('\n    ')
  },
}

/** A sentence: why there are no lines. */
const usageOf = async ({ api }: FullCanary): Promise<BillLine[] | string> => {
  try {
    for (const path of PATHS) {
      // Without a period it is the current one. A period must include the day on which the bill begins.
      const lines = await api.get<BillLine[]>(path)
      if (lines) return lines
    }
    return 'Cloudflare does not offer it for this account'
  } catch (error) {
    return `the token needs Billing Read: ${(error as Error).message}`
  }
}

const dayOf = ({ ChargePeriodStart }: BillLine): string => ChargePeriodStart.slice(0, 10)
const costOf = ({ ContractedCost, BilledCost }: BillLine): number => ContractedCost ?? BilledCost ?? 0
