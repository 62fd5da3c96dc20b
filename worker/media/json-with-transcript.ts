import type { ShownTranscript } from '../../domain/jobs/job-status.ts'
import { LINE_END } from '../../domain/words/transcript-body.ts'
import { readInChunks, streamOf } from './chunks.ts'

export interface OpenTranscript {
  body: ReadableStream<Uint8Array>
  sizeBytes: number
}

/**
 * The text and segments of a transcript are lines of JSON in storage. Their bytes are copied while the client reads
 * them, with commas for line ends, and never parsed. `render` gets placeholders; the text must come first, as in
 * storage.
 */
export const jsonWithTranscript = (
  { body, sizeBytes: storedBytes }: OpenTranscript,
  render: (transcript: ShownTranscript) => object,
): ReadableStream<Uint8Array> => {
  // Random, so that no text of a caller contains it.
  const placeholder = crypto.randomUUID()
  const [start = '', middle = '', end = ''] = JSON.stringify(
    render({ text: placeholder, segments: placeholder }),
  ).split(`"${placeholder}"`)
  const frame = { start: encode(start), middle: encode(`${middle}[`), end: encode(`]${end}`) }
  const copiedBytes = storedBytes - LINE_END_OF_TEXT
  const sizeBytes = frame.start.length + frame.middle.length + frame.end.length + copiedBytes
  // Sets the Content-Length, and fails when fewer bytes arrive.
  return streamOf(framed(frame, readInChunks(body))).pipeThrough(new FixedLengthStream(sizeBytes))
}

const LINE_END_OF_TEXT = 1
const COMMA = 44

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** `start`, the text, `middle`, the segments, `end`. */
export async function* framed(
  { start, middle, end }: Record<'start' | 'middle' | 'end', Uint8Array>,
  section: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield start
  let isText = true
  for await (const { bytes, isTextEnd } of dividedAtTextEnd(section)) {
    yield isText ? bytes : withCommas(bytes)
    if (isTextEnd) yield middle
    isText &&= !isTextEnd
  }
  yield end
}

const withCommas = (bytes: Uint8Array): Uint8Array => {
  const copy = bytes.slice()
  for (let at = copy.indexOf(LINE_END); at !== -1; at = copy.indexOf(LINE_END, at)) copy[at] = COMMA
  return copy
}

/** The bytes of a section without the line end of its text, and where that was. */
async function* dividedAtTextEnd(
  section: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ bytes: Uint8Array; isTextEnd: boolean }> {
  let isText = true
  for await (const chunk of section) {
    const at = isText ? chunk.indexOf(LINE_END) : -1
    if (at === -1) {
      yield { bytes: chunk, isTextEnd: false }
      continue
    }
    isText = false
    yield { bytes: chunk.subarray(0, at), isTextEnd: true }
    yield { bytes: chunk.subarray(at + 1), isTextEnd: false }
  }
  if (isText) throw new Error('the stored transcript has no segments')
}

export async function* transcriptText({ body }: Pick<OpenTranscript, 'body'>): AsyncGenerator<Uint8Array> {
  for await (const { bytes, isTextEnd } of dividedAtTextEnd(readInChunks(body))) {
    yield bytes
    if (isTextEnd) return
  }
}
