import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lanes } from '../../../domain/lanes.ts'
import type { AudioOrder, UploadedAudio } from '../../../domain/protocol/protocol.ts'
import { cutAtSilences } from '../../audio/cut-at-silences.ts'
import { longestPiece, type PreparedPiece, preparePiece } from '../../audio/encode-piece.ts'
import { isSilent, type Loudness } from '../../audio/loudness.ts'
import type { Pcm, SampleRange } from '../../audio/pcm.ts'
import type { StepContext } from '../step.ts'
import { uploadFile } from './upload-file.ts'

export type UploadedPiece = UploadedAudio['pieces'][number]

/** One piece is encoded while another is uploaded. */
const CONCURRENCY = 2

/** Cuts a recording for a recognizer and uploads each piece as soon as it is encoded. Silent pieces are skipped. */
export const uploadPieces = async (
  pcm: Pcm,
  loudness: Loudness,
  { encoding, ...limits }: AudioOrder['pieces'],
  context: StepContext,
  onUploaded: (share: number) => void,
): Promise<UploadedPiece[]> => {
  const ranges = cutAtSilences(pcm, loudness, Math.max(1, longestPiece(encoding, limits)))
  const spoken = ranges.filter((range) => !isSilent(loudness, range))
  const uploaded: UploadedPiece[] = []
  const encodeAndUpload = async ([index, range]: [number, SampleRange], signal: AbortSignal) => {
    const outputFile = join(context.workDir, `piece-${index}`)
    const piece = await preparePiece(pcm, range, { encoding, outputFile, signal })
    uploaded[index] = await uploadPiece(piece, index, { ...context, signal })
    await rm(outputFile, { force: true })
    onUploaded(uploaded.filter(Boolean).length / spoken.length)
  }
  await lanes(CONCURRENCY, spoken.entries(), encodeAndUpload, context.signal)
  return uploaded
}

const uploadPiece = async (
  { path, start, end, contentType, offsetSeconds, durationSeconds }: PreparedPiece,
  index: number,
  { worker, signal }: StepContext,
): Promise<UploadedPiece> => {
  const sizeBytes = end - start
  const file = { path, startsAt: start, prefixBytes: sizeBytes, reached: async () => {} }
  const upload = await uploadFile(file, { kind: 'audio', index, contentType, sizeBytes }, worker, signal)
  return { upload, offsetSeconds, durationSeconds }
}
