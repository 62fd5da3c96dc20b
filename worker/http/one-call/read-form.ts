import { decodeField, type MultipartError, make } from 'multipasta'
import { concatenated } from '../../../domain/encoding.ts'

/** A multipart body in the order in which it arrives. Nothing follows `invalid` and `tooLarge`. */
export type FormEvent =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; filename: string; contentType: string }
  /** These bytes belong to the file before them. */
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'invalid'; message: string }
  | { kind: 'tooLarge' }

interface ReadOptions {
  contentType: string
  /** Fields that are wanted. The parts of others are skipped, whatever their size. */
  fields: ReadonlySet<string>
  file: string
  maxBytes: number
}

const MAX_FIELD_BYTES = 64 * 1024
const MAX_PARTS = 100
/** RFC 2046, 5.1.1. The search for a longer one could take too much time. */
const MAX_BOUNDARY_CHARACTERS = 70

/** Reads a form as it arrives, with one chunk of a file in memory. If the reader stops early, the rest can still be read. */
export async function* formEvents(
  body: ReadableStream<Uint8Array> | null,
  { contentType, fields, file, maxBytes }: ReadOptions,
): AsyncGenerator<FormEvent> {
  const events: FormEvent[] = []
  let state: 'reading' | 'ended' | 'stopped' = 'reading'
  /** The parser goes on after an error, and after the end of the form. */
  const add = (event: FormEvent): void => {
    if (state === 'reading') events.push(event)
  }
  const stop = (event: FormEvent): void => {
    add(event)
    if (state === 'reading') state = 'stopped'
  }
  const invalid = (message: string): void => stop({ kind: 'invalid', message })
  const parser = make({
    headers: { 'content-type': contentType },
    isFile: ({ name }) => !fields.has(name),
    maxFieldSize: MAX_FIELD_BYTES,
    maxParts: MAX_PARTS,
    maxTotalSize: maxBytes,
    onField: (info, value) => add({ kind: 'field', name: info.name, value: decodeField(info, value) }),
    onFile: ({ name, filename = '', contentType }) => {
      if (name !== file) return () => {}
      add({ kind: 'file', filename, contentType })
      return (bytes) => void (bytes && add({ kind: 'bytes', bytes }))
    },
    onError: (error) => stop(isTooLarge(error) ? { kind: 'tooLarge' } : { kind: 'invalid', message: messageOf(error) }),
    onDone: () => {
      if (state === 'reading') state = 'ended'
    },
  })
  const write = (bytes: Uint8Array): void => {
    try {
      parser.write(bytes)
    } catch {
      // A file name with an invalid percent-encoding.
      invalid(INVALID_HEADERS)
    }
  }

  if (boundaryLength(contentType) > MAX_BOUNDARY_CHARACTERS) invalid('The boundary has more than 70 characters.')
  let held = new Uint8Array()
  for await (const chunk of untilDisconnected(body)) {
    if (state !== 'reading') break
    const bytes = held.length === 0 ? chunk : concatenated(held, chunk)
    // The parser does not recognize the end of a form if its two hyphens come in different chunks.
    const end = bytes.length - hyphensAtEnd(bytes)
    held = bytes.slice(end)
    write(bytes.subarray(0, end))
    yield* events.splice(0)
  }
  if (state === 'reading') {
    write(held)
    parser.end()
  }
  if (state === 'reading') invalid(UNFINISHED)
  yield* events.splice(0)
}

/** A form whose sender disconnects has no last boundary. */
async function* untilDisconnected(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) yield chunk
  } catch {}
}

const HYPHEN = 45

const hyphensAtEnd = (bytes: Uint8Array): number => {
  if (bytes.at(-1) !== HYPHEN) return 0
  return bytes.at(-2) === HYPHEN ? 2 : 1
}

const boundaryLength = (contentType: string): number =>
  /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType)?.slice(1).join('').length ?? 0

const isTooLarge = (error: MultipartError): boolean => error._tag === 'ReachedLimit' && error.limit === 'MaxTotalSize'

const UNFINISHED = 'The form ends before its last boundary.'
const INVALID_HEADERS = 'The headers of a part are not valid.'

const messageOf = (error: MultipartError): string => {
  if (error._tag === 'InvalidBoundary') return 'The Content-Type has no boundary.'
  if (error._tag === 'EndNotReached') return UNFINISHED
  if (error._tag !== 'ReachedLimit') return INVALID_HEADERS
  if (error.limit === 'MaxParts') return `The form has more than ${MAX_PARTS} parts.`
  return `A field has more than ${MAX_FIELD_BYTES / 1024} KiB.`
}
