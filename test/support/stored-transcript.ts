import { readSection, type TranscriptBody } from '../../domain/words/transcript-body.ts'

/** A stored transcript, with its words if it has any: they are in its last section, which begins with the text. */
export const readStored = (stored: Uint8Array | null): TranscriptBody => {
  if (!stored) throw new Error('no transcript is stored')
  const lines = new TextDecoder().decode(stored).split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('"'))
  return readSection(new TextEncoder().encode(lines.slice(at).join('\n')))
}
