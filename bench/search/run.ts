import { benchBeside } from './beside.ts'
import { benchIndex } from './index.ts'

const HOURS = 10_000

/** 10,000 hours take about 20 minutes and 3 GB of disk. `hours`: less. */
export const benchSearch = async (print: (line: string) => void, { hours = HOURS } = {}): Promise<void> => {
  await benchBeside(print)
  await benchIndex(print, hours)
}
