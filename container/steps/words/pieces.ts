import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AudioOrder, PreparedSound } from '../../protocol.ts'
import { together } from '../../source/transfer/pieces.ts'
import { cutAtSilences } from '../../speech/audio/cut.ts'
import { isSilent, type Loudness } from '../../speech/audio/loudness.ts'
import type { Pcm, Stretch } from '../../speech/audio/pcm.ts'
import { longestPiece, type PreparedPiece, preparePiece } from '../../speech/audio/pieces.ts'
import type { StepContext } from '../step.ts'
import { upload } from '../upload.ts'

export type SentPiece = PreparedSound['pieces'][number]

/** One piece is encoded while another is on its way. */
const LANES = 2

/** Cuts a recording for a recognizer and uploads the pieces, each as soon as it is made. Silent ones are left out. */
export const sendPieces = async (
  pcm: Pcm,
  loudness: Loudness,
  { encoding, ...limits }: AudioOrder['pieces'],
  context: StepContext,
  onSent: (share: number) => void,
): Promise<SentPiece[]> => {
  const stretches = cutAtSilences(pcm, loudness, Math.max(1, longestPiece(encoding, limits)))
  const spoken = stretches.filter((stretch) => !isSilent(loudness, stretch))
  const sent: SentPiece[] = []
  const waiting = spoken.entries()
  const send = async (stretch: Stretch, index: number, signal: AbortSignal) => {
    const outputFile = join(context.workDir, `piece-${index}`)
    const piece = await preparePiece(pcm, stretch, { encoding, outputFile, signal })
    sent[index] = await uploadPiece(piece, index, { ...context, signal })
    await rm(outputFile, { force: true })
    onSent(sent.filter(Boolean).length / spoken.length)
  }
  const work = async (signal: AbortSignal) => {
    for (const [index, stretch] of waiting) await send(stretch, index, signal)
  }
  await together(LANES, work, context.signal)
  return sent
}

const uploadPiece = async (
  { path, start, end, contentType, offsetSeconds, durationSeconds }: PreparedPiece,
  index: number,
  { worker, signal }: StepContext,
): Promise<SentPiece> => {
  const sizeBytes = end - start
  const file = { path, startsAt: start, prefixBytes: sizeBytes, reached: async () => {} }
  const uploaded = await upload(file, { kind: 'audio', index, contentType, sizeBytes }, worker, signal)
  return { upload: uploaded, offsetSeconds, durationSeconds }
}
