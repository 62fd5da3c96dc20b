import { join } from 'node:path'
import { type Probed, probe } from '../media/probe.ts'
import { download } from '../source/download.ts'
import { SourceFailure } from '../source/failure.ts'
import type { Rendition } from '../source/source.ts'
import { type EarlyUpload, uploadEarly } from './early.ts'
import { createMeter } from './meter.ts'
import { openSpool, type Spool } from './spool.ts'
import type { StepContext } from './step.ts'

/** Downloads on disk, and the upload that may have begun before they were complete. */
export interface Arrival {
  arrived: Arrived[]
  downloadedBytes: number
  early: EarlyUpload | null
  close(): Promise<void>
}

export interface Arrived {
  rendition: Rendition
  spool: Spool
}

export interface Wanted {
  renditions: Rendition[]
  durationSeconds: number | null
  maxBytes: number
  /** What the download may make of the step's percent; the rest is for what comes after it. */
  percentShare: number
  /** One file that most likely is the job's result as it comes: it is digested and uploaded meanwhile. */
  isResult: boolean
}

export const arrive = async (wanted: Wanted, context: StepContext): Promise<Arrival> => {
  const { renditions, isResult } = wanted
  const { egress, report, signal, workDir } = context
  const meter = createMeter(renditions.length, wanted.maxBytes, (totalBytes) => {
    report.set({ totalBytes })
    report.flush()
  })
  report.set({ stage: 'downloading' })
  for (const [index, { sizeBytes, sizeIsEstimate }] of renditions.entries()) {
    if (sizeBytes !== null && !sizeIsEstimate) meter.announce(index, sizeBytes)
  }
  const expectedBytes = expected(wanted)
  const onBytes = (bytes: number) => {
    meter.add(bytes)
    const { downloadedBytes } = meter
    report.set({ downloadedBytes, percent: percentOf(downloadedBytes, meter.totalBytes ?? expectedBytes, wanted) })
  }
  const arrived: Arrived[] = []
  for (const [index, rendition] of renditions.entries()) {
    const onAnnounce = (bytes: number) => meter.announce(index, bytes)
    const spool = await openSpool(join(workDir, `download-${index}`), { digest: isResult, signal, onAnnounce, onBytes })
    arrived.push({ rendition, spool })
  }
  const close = async () => {
    await Promise.all(arrived.map(({ spool }) => spool.close()))
  }
  const [only] = arrived
  const early = isResult && only ? uploadEarly(only, () => meter.totalBytes, context) : null
  try {
    await Promise.all(
      arrived.map(async ({ rendition, spool }) => {
        const { sizeBytes } = await download(rendition, egress, spool, signal)
        complete(spool, sizeBytes)
      }),
    )
  } catch (error) {
    await close()
    throw error
  }
  return { arrived, downloadedBytes: meter.downloadedBytes, early, close }
}

const percentOf = (bytes: number, totalBytes: number | null, { percentShare }: Wanted): number | null =>
  totalBytes ? Math.min(percentShare, Math.floor((bytes / totalBytes) * percentShare)) : null

/** Good enough for a percentage. Money is held for announced sizes alone. */
const expected = ({ renditions, durationSeconds }: Wanted): number | null => {
  const sizes = renditions.map(({ sizeBytes, bitrate }) => sizeBytes ?? ((bitrate ?? 0) * (durationSeconds ?? 0)) / 8)
  return sizes.reduce((sum, bytes) => sum + bytes, 0) || null
}

const complete = (spool: Spool, sizeBytes: number): void => {
  if (spool.prefixBytes !== sizeBytes) throw new Error(`${spool.prefixBytes} of ${sizeBytes} bytes reached the disk`)
  if (sizeBytes === 0) throw new SourceFailure('SOURCE_TRUNCATED')
  spool.finish()
}

/** Segments that were put one after the other say nothing of their end: what is made of them does. */
export const probeArrived = ({ rendition, spool }: Arrived, signal: AbortSignal): Promise<Probed> =>
  probe(spool.path, signal, { endUnknown: rendition.transport.kind !== 'file' })
