import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FormEvent, formEvents } from '../../../../../worker/http/one-call/read-form.ts'

const BOUNDARY = 'a-boundary'
const contentType = `multipart/form-data; boundary=${BOUNDARY}`
const utf8 = (text: string) => new TextEncoder().encode(text)

interface Part {
  name: string
  text: string
  filename?: string
}

const headersOf = ({ name, filename }: Part): string =>
  `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`

const formOf = (parts: Part[]): Uint8Array =>
  utf8(
    `${parts.map((part) => `--${BOUNDARY}\r\n${headersOf(part)}\r\n\r\n${part.text}\r\n`).join('')}--${BOUNDARY}--\r\n`,
  )

/** The bytes, divided before these positions. */
const streamOf = (bytes: Uint8Array, positions: number[] = []): ReadableStream<Uint8Array> => {
  const ends = [...positions, bytes.length]
  return new ReadableStream({
    start: (controller) => {
      for (const [index, end] of ends.entries()) controller.enqueue(bytes.slice(ends[index - 1] ?? 0, end))
      controller.close()
    },
  })
}

const read = async (body: ReadableStream<Uint8Array>, type = contentType) => {
  const events: FormEvent[] = []
  const options = { contentType: type, fields: new Set(['model', 'url', 'list[]']), file: 'file', maxBytes: 1_000_000 }
  for await (const event of formEvents(body, options)) events.push(event)
  return events
}

/** With the bytes of a file joined. */
const summary = async (body: ReadableStream<Uint8Array>, type?: string) => {
  const events = await read(body, type)
  const found: unknown[] = []
  const bytes: number[] = []
  for (const event of events) {
    if (event.kind === 'bytes') bytes.push(...event.bytes)
    else found.push(event.kind === 'field' ? [event.name, event.value] : event.kind === 'file' ? event.filename : event)
  }
  return { found, text: new TextDecoder().decode(Uint8Array.from(bytes)) }
}

const parts: Part[] = [
  { name: 'model', text: 'whisper-1' },
  { name: 'file', filename: 'ä talk.mp3', text: `\r\n--${BOUNDARY.slice(0, -1)}\r\n-bytes--\r\n` },
  { name: 'chunking_strategy', text: 'ignored' },
  { name: 'list[]', text: 'word' },
  { name: 'list[]', text: '' },
]
const expected = {
  found: [['model', 'whisper-1'], 'ä talk.mp3', ['list[]', 'word'], ['list[]', '']],
  text: parts[1]?.text,
}

describe('a form', () => {
  const bytes = formOf(parts)

  test('is read the same wherever one chunk ends and the next begins', async () => {
    for (let at = 1; at < bytes.length; at++) expect(await summary(streamOf(bytes, [at]))).toEqual(expected)
  })

  test('is read the same in any chunks, also of one byte', async () => {
    const positions = fc
      .uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }))
      .map((some) => some.sort((a, b) => a - b))
    await fc.assert(
      fc.asyncProperty(positions, async (some) => {
        expect(await summary(streamOf(bytes, some))).toEqual(expected)
      }),
    )
    const each = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
    expect(await summary(streamOf(bytes, each))).toEqual(expected)
  })

  test('is read until its end, whatever follows it', async () => {
    const followed = new Uint8Array([...bytes, ...utf8('\r\nan epilogue: of any kind')])
    expect(await summary(streamOf(followed, [bytes.length - 2, bytes.length + 3]))).toEqual(expected)
  })

  test('gives the bytes of a file before the rest of it has arrived', async () => {
    const head = utf8(`--${BOUNDARY}\r\n${headersOf({ name: 'file', filename: 'a', text: '' })}\r\n\r\n`)
    let pulls = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(pulls++ === 0 ? head : new Uint8Array(65_536)) },
      { highWaterMark: 0 },
    )
    let received = 0
    for await (const event of formEvents(body, {
      contentType,
      fields: new Set<string>(),
      file: 'file',
      maxBytes: 1e9,
    })) {
      if (event.kind === 'bytes') received += event.bytes.length
      if (received >= 10 * 65_536) break
    }
    expect(pulls).toBeLessThanOrEqual(12)
  })

  const invalid = (message: string) => ({ found: [{ kind: 'invalid', message }], text: '' })

  test.each([
    ['that is empty', new Uint8Array()],
    ['without its last boundary', utf8(`--${BOUNDARY}\r\n${headersOf({ name: 'other', text: '' })}\r\n\r\nvalue`)],
    ['with another boundary', utf8('--other\r\n--other--\r\n')],
  ])('%s is not valid', async (_, body) => {
    expect(await summary(streamOf(body))).toEqual(invalid('The form ends before its last boundary.'))
  })

  test('whose sender disconnects is not valid', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('disconnected')),
    })
    expect(await summary(body)).toEqual(invalid('The form ends before its last boundary.'))
  })

  test('with a field that is too long is not valid, and a part that nobody wants may have any length', async () => {
    const text = 'x'.repeat(65_537)
    expect(await summary(streamOf(formOf([{ name: 'model', text }])))).toEqual(invalid('A field has more than 64 KiB.'))
    expect(await summary(streamOf(formOf([{ name: 'known_speaker_references[]', text }])))).toMatchObject({ found: [] })
  })

  test('that is too large is read no further, also if nobody wants the part', async () => {
    const large = formOf([{ name: 'other', text: 'x'.repeat(1_000_001) }])
    expect(await summary(streamOf(large, [500_000]))).toEqual({ found: [{ kind: 'tooLarge' }], text: '' })
  })

  test('with too many parts is not valid', async () => {
    const many = Array.from({ length: 101 }, () => ({ name: 'other', text: '1' }))
    expect(await summary(streamOf(formOf(many)))).toEqual(invalid('The form has more than 100 parts.'))
  })

  test('whose file name has an invalid percent-encoding is not valid', async () => {
    const text = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename*=utf-8''%E4%ZZ\r\n\r\nx\r\n--${BOUNDARY}--\r\n`
    expect(await summary(streamOf(utf8(text)))).toEqual(invalid('The headers of a part are not valid.'))
  })

  test.each([
    ['without a boundary', 'multipart/form-data', 'The Content-Type has no boundary.'],
    [
      'with a boundary that is too long to search for',
      `multipart/form-data; boundary="${'-'.repeat(71)}"`,
      'The boundary has more than 70 characters.',
    ],
  ])('%s is not valid', async (_, type, message) => {
    expect(await summary(streamOf(bytes), type)).toEqual(invalid(message))
  })
})
