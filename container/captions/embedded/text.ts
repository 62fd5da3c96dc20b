import { type Cue, collectCues, decodeText, maxCaptionBytes } from '../cue.ts'
import { stripMarkup } from '../formats/markup.ts'
import { type Sample, sampleCues } from '../formats/mp4.ts'

export interface EmbeddedTrack {
  id: number
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

export const cuesIn = (samples: Iterable<Sample>, format: TextFormat): Cue[] =>
  format === 'mp4' ? sampleCues(samples, maxCaptionBytes) : collectCues(textCues(samples, texts[format]))

function* textCues(samples: Iterable<Sample>, textOf: (data: Uint8Array) => string): Generator<Cue> {
  for (const { start, end, data } of samples) {
    const stripped = stripMarkup(textOf(data))
    if (stripped.text.trim() !== '' && end > start) yield { start, end, ...stripped }
  }
}

const unixLines = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\0/g, '')

/** 3GPP TS 26.245: the length of the text, the text, and boxes with its styles. */
const timedText = (data: Uint8Array): string => {
  const length = ((data[0] ?? 0) << 8) | (data[1] ?? 0)
  return unixLines(decodeText(data.subarray(2, 2 + length)))
}

/** Older WebM has the identifier and the settings of a cue as lines before its text. */
const webmText = (data: Uint8Array): string => plainText(data).replace(/^[^\n]*\n[^\n]*\n?/, '')

const plainText = (data: Uint8Array): string => unixLines(decodeText(data))

/** A line of an ASS file without its times: ReadOrder, Layer, Style, Name, three margins, Effect, Text. */
const assText = (data: Uint8Array): string => {
  const line = plainText(data)
  let at = 0
  for (let field = 0; field < 8; field++) {
    at = line.indexOf(',', at) + 1
    if (at === 0) return ''
  }
  return withoutDrawings(line.slice(at))
    .replace(/\{[^{}]*\}/g, '')
    .replace(/\\[nN]/g, '\n')
    .replace(/\\h/g, ' ')
}

/** From `{\p1}` to `{\p0}` there are the coordinates of a shape. */
const withoutDrawings = (text: string): string => {
  let isDrawing = false
  return text.replace(/(\{[^{}]*\})|[^{]+|\{/g, (part, override: string | undefined) => {
    const mode = override && /\\p(\d)/.exec(override)?.[1]
    if (mode) isDrawing = mode !== '0'
    return isDrawing ? '' : part
  })
}

const texts: Record<Exclude<TextFormat, 'mp4'>, (data: Uint8Array) => string> = {
  tx3g: timedText,
  plain: plainText,
  webm: webmText,
  ass: assText,
}
