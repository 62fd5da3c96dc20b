import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, StepLimits } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import { resolve } from '../source/resolve.ts'
import type { Rendition, Source } from '../source/source.ts'
import { decode } from '../speech/audio/decode.ts'
import { isSilent, measureLoudness } from '../speech/audio/loudness.ts'
import type { Pcm } from '../speech/audio/pcm.ts'
import { type Arrived, arrive, probeArrived } from './arrival.ts'
import { refuseCut, refuseLong, refuseUnfit } from './fitness.ts'
import type { Step, StepContext } from './step.ts'
import { lookInto, soundOf } from './words/look.ts'
import { sendPieces } from './words/pieces.ts'

/**
 * From a URL to sound in storage, in pieces that a recognizer takes:
 *
 *   resolve → say how long it is → download → verify → decode once → cut at silences → upload
 *
 * How long it is decides what the job costs, so the Worker hears of it, and may say stop, before any of the
 * media is downloaded.
 */
export const prepareSound: Step<AudioOrder> = async (order, context) => {
  const { egress, extractor, report, signal } = context
  const source = await resolve(order.url, egress, extractor, signal)
  refuseUnfit(source, order.limits)
  const sound = soundOf(source)
  await announce(source, sound, order.limits, context)
  const { pcm, durationSeconds, downloadedBytes } = await fetchSound(source, sound, order.limits, context)
  const loudness = await measureLoudness(pcm)
  if (isSilent(loudness)) throw new SourceFailure('NO_SPEECH')
  report.set({ stage: 'uploading', percent: DECODED_PERCENT })
  const pieces = await sendPieces(pcm, loudness, order.pieces, context, (share) =>
    report.set({ percent: DECODED_PERCENT + Math.floor((100 - DECODED_PERCENT) * share) }),
  )
  return { step: 'audio', durationSeconds, downloadedBytes, pieces }
}

const DOWNLOADED_PERCENT = 60
const DECODED_PERCENT = 75

const announce = async (source: Source, sound: Rendition, limits: StepLimits, context: StepContext): Promise<void> => {
  const { report, signal } = context
  const durationSeconds = source.durationSeconds ?? (await lookInto(sound, context))?.durationSeconds ?? null
  if (durationSeconds !== null) refuseLong(durationSeconds, limits)
  report.set({ durationSeconds, totalBytes: sound.sizeIsEstimate ? null : sound.sizeBytes })
  await report.flush()
  signal.throwIfAborted()
}

interface Sound {
  pcm: Pcm
  /** Of the media, of which the sound may be shorter. */
  durationSeconds: number
  downloadedBytes: number
}

const fetchSound = async (
  source: Source,
  rendition: Rendition,
  limits: StepLimits,
  context: StepContext,
): Promise<Sound> => {
  const { durationSeconds } = source
  const wanted = { renditions: [rendition], durationSeconds, maxBytes: limits.maxBytes }
  const arrival = await arrive({ ...wanted, percentShare: DOWNLOADED_PERCENT, isResult: false }, context)
  const [arrived] = arrival.arrived
  try {
    if (!arrived) throw new SourceFailure('NO_AUDIO')
    const decoded = await decodeArrived(arrived, limits, context)
    refuseCut(decoded, source, limits)
    return { ...decoded, downloadedBytes: arrival.downloadedBytes }
  } finally {
    await arrival.close()
  }
}

const decodeArrived = async (arrived: Arrived, { maxDurationSeconds }: StepLimits, context: StepContext) => {
  const { report, signal, workDir } = context
  report.set({ stage: 'processing', percent: DOWNLOADED_PERCENT })
  const probed = await probeArrived(arrived, signal)
  if (!probed.audio) throw new SourceFailure('NO_AUDIO')
  const pcm = await decode(probed, { outputFile: join(workDir, 'sound'), maxDurationSeconds, signal })
  await rm(arrived.spool.path)
  const isFile = arrived.rendition.transport.kind === 'file'
  return { pcm, durationSeconds: isFile ? probed.durationSeconds : pcm.durationSeconds }
}
