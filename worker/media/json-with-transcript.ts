import { concatenated } from '../../domain/encoding.ts'
import type { ShownTranscript } from '../../domain/jobs/job-status.ts'
import { SEGMENTS_START, TEXT_STARTS } from '../../domain/words/transcript-body.ts'
import { readInChunks, streamOf } from './chunks.ts'

/** A stored transcript, with or without its words. */
export interface OpenTranscript {
  body: ReadableStream<Uint8Array>
  sizeBytes: number
}

/**
 * JSON that contains a stored transcript. The text and the segments are JSON in storage too, so their bytes are copied
 * while the client reads them and never parsed: a long transcript neither fills the memory nor blocks other requests.
 *
 * `render` gets placeholders for the text and the segments. The text must come first, as in storage.
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
  const frame = { start: encode(start), middle: encode(middle), end: encode(end) }
  const copiedBytes = storedBytes - TEXT_STARTS.length - SEGMENTS_START.length - OBJECT_ENDS.length
  const sizeBytes = frame.start.length + frame.middle.length + frame.end.length + copiedBytes
  // Sets the Content-Length, and fails when fewer bytes arrive.
  const chunks = framed(frame, { body: readInChunks(body), sizeBytes: storedBytes })
  return streamOf(chunks).pipeThrough(new FixedLengthStream(sizeBytes))
}

const OBJECT_ENDS = '}'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** `start`, the text, `middle`, the segments, `end`. */
export async function* framed(
  { start, middle, end }: Record<'start' | 'middle' | 'end', Uint8Array>,
  { body, sizeBytes }: { body: AsyncIterable<Uint8Array>; sizeBytes: number },
): AsyncGenerator<Uint8Array> {
  yield start
  const inner = between(body, TEXT_STARTS.length, sizeBytes - OBJECT_ENDS.length)
  let isAfterText = false
  for await (const { bytes, isAfter } of dividedAt(inner, SEGMENTS_START)) {
    if (isAfter && !isAfterText) yield middle
    isAfterText = isAfter
    yield bytes
  }
  yield end
}

/** The bytes from one position to another. */
async function* between(chunks: AsyncIterable<Uint8Array>, from: number, to: number): AsyncGenerator<Uint8Array> {
  let position = 0
  for await (const chunk of chunks) {
    yield chunk.subarray(Math.max(0, from - position), Math.max(0, to - position))
    position += chunk.length
  }
}

/** Finds ASCII in bytes: in this encoding each byte is one character. */
const bytesAsText = new TextDecoder('windows-1252')

/** The bytes on both sides of what is wanted. */
async function* dividedAt(
  chunks: AsyncIterable<Uint8Array>,
  wanted: string,
): AsyncGenerator<{ bytes: Uint8Array; isAfter: boolean }> {
  let isAfter = false
  /** Bytes that may be the start of what is wanted. */
  let rest = new Uint8Array()
  for await (const chunk of chunks) {
    if (isAfter) {
      yield { bytes: chunk, isAfter }
      continue
    }
    const bytes = concatenated(rest, chunk)
    const at = bytesAsText.decode(bytes).indexOf(wanted)
    const searched = at === -1 ? Math.max(0, bytes.length - wanted.length + 1) : at
    yield { bytes: bytes.subarray(0, searched), isAfter }
    rest = bytes.slice(searched)
    isAfter = at !== -1
    if (isAfter) yield { bytes: bytes.subarray(at + wanted.length), isAfter }
  }
  if (!isAfter) throw new Error('the stored transcript has no segments')
}

/** The text of a stored transcript, as the JSON that it is stored in. */
export async function* textOf({ body }: Pick<OpenTranscript, 'body'>): AsyncGenerator<Uint8Array> {
  const fromText = between(readInChunks(body), TEXT_STARTS.length, Number.POSITIVE_INFINITY)
  for await (const { bytes, isAfter } of dividedAt(fromText, SEGMENTS_START)) {
    if (isAfter) return
    yield bytes
  }
}
