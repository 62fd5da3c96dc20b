import type { LinkedFiles } from '../../domain/protocol/protocol.ts'
import type { CaptionTrack } from '../source/source.ts'

/** The transcripts that a feed names are captions that people made: a feed names one because it is of its item. */
export const linkedTracks = (linked: LinkedFiles | undefined): CaptionTrack[] =>
  (linked?.transcripts ?? []).map(({ url, format, language }) => ({
    language: language ?? 'und',
    kind: 'manual',
    original: true,
    format,
    transport: { kind: 'file', url, headers: {} },
  }))
