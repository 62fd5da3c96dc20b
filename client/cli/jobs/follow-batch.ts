import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch, BatchItem, Haul } from '../../src/index.ts'
import { exitCodeOfFailure, exitCodes } from '../exit-codes.ts'
import { tableLines } from '../terminal/table.ts'

const FIRST_POLL_MS = 500
const LONGEST_POLL_MS = 5_000

const hasEnded = ({ status }: Batch): boolean => status !== 'queued' && status !== 'running'

/** The batch when all of its items have ended. Polls less often the longer it takes. */
export const followBatch = async (
  haul: Haul,
  batchId: string,
  { signal, onChange }: { signal: AbortSignal; onChange: (batch: Batch) => void },
): Promise<Batch> => {
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(LONGEST_POLL_MS, pauseMs * 1.2)) {
    const batch = await haul.batches.get(batchId, { signal })
    onChange(batch)
    if (hasEnded(batch)) return batch
    await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** `12 of 50 done, 1 failed, 3 running, 35 waiting` */
export const countsText = (batch: Batch): string => {
  const { total, waiting, running, completed, failed, skipped } = batch.counts
  if (total === null) return hasEnded(batch) ? batch.status : 'Reading the list'
  const others = [
    [failed, 'failed'],
    [skipped, 'skipped'],
    [running, 'running'],
    [waiting, 'waiting'],
  ] as const
  const shown = others.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : []))
  return [`${completed} of ${total} done`, ...shown].join(', ')
}

/** What did not complete, as a table. Empty if there is nothing. */
export const problemLines = (items: readonly BatchItem[], maxColumns?: number): string[] => {
  const rows = items.map(({ index, url, code, status, message }) => [String(index), url, code ?? status, message ?? ''])
  if (rows.length === 0) return []
  return tableLines(
    [
      { title: '#', align: 'right' },
      { title: 'URL', isFlexible: true },
      { title: 'Code' },
      { title: 'Message', isFlexible: true },
    ],
    rows,
    maxColumns,
  )
}

/** Failed items count more than those that were left out for want of money. */
export const exitCodeOfBatch = ({ status, code, counts }: Batch, items: readonly BatchItem[]): number => {
  if (status === 'failed') return exitCodeOfFailure(code)
  if (counts.failed > 0 || status === 'canceled') return exitCodes.failed
  const [skipped] = items.filter((item) => item.status === 'skipped')
  return skipped ? exitCodeOfFailure(skipped.code) : exitCodes.done
}
