/** A text subtitle track inside a media file. */
export interface EmbeddedTrack {
  /** Its number in the file's index. */
  id: number
  /** null if the file does not state it. */
  language: string | null
  isDefault: boolean
  /** Contains only the foreign-language lines. */
  isForced: boolean
  format: TextFormat
}

/** How the text of a sample is stored. `mp4`: WebVTT or TTML as in ISO/IEC 14496-30. */
export type TextFormat = 'tx3g' | 'mp4' | 'plain' | 'webm' | 'ass'

/** A day of captions, one every two seconds and a pause after each. */
export const maxSamples = 100_000
