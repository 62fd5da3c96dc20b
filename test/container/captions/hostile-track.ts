import { maxCueCharacters, maxCues } from '../../../container/captions/cue.ts'
import { type CaptionFiles, readTranscript } from '../../../container/captions/read.ts'
import { readSection } from '../../../domain/words/transcript-body.ts'
import type { Budget } from '../../further/fuzz/hostile-input.ts'

export const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
export const oneFile = (file: Uint8Array): CaptionFiles[] => [{ files: [file], isOneFile: true, shiftSeconds: 0 }]

/** Reads a track as the reader process does, and checks what every transcript promises. */
export const readTrack = (parts: CaptionFiles[]): void => {
  const { body, segments, endSeconds } = readTranscript(parts)
  const transcript = readSection(body)
  if (segments > maxCues || transcript.segments.length !== segments) throw new Error(`${segments} segments`)
  let clock = 0
  for (const { start, end, text } of transcript.segments) {
    if (!(start >= clock && end > start)) throw new Error(`a segment from ${start} to ${end} after ${clock}`)
    if (text === '' || text.length > maxCueCharacters) throw new Error(`a segment of ${text.length} characters`)
    clock = end
  }
  if (endSeconds !== clock) throw new Error(`ends at ${endSeconds}`)
}

/** Measured: at most 58 operations for each byte. */
export const captionBudget: Budget = { each: 100, fixed: 2_000 }
