import fc, { type Arbitrary } from 'fast-check'
import { test } from 'vitest'
import { readAnswer } from '../../../../../../container/source/extractor/read-answer.ts'
import type { Transport } from '../../../../../../container/source/source.ts'
import {
  maxSegments,
  maxUrlsCharacters,
  unpackSegments,
} from '../../../../../../container/source/transfer/segment-list.ts'
import { runs } from '../../../../../support/runs.ts'
import {
  type Budget,
  growsLinearly,
  mutationsOf,
  once,
  type Part,
  repeated,
  samplesOf,
  within,
} from '../../../hostile-input.ts'

const url = 'https://video.example/watch'

const checkTransport = (transport: Transport): void => {
  if (transport.kind !== 'segments') {
    if (!/^https?:/i.test(transport.url)) throw new Error(`a file at ${transport.url}`)
    return
  }
  const urls = Array.from(unpackSegments(transport.segments), (segment) => segment.url)
  if (urls.length === 0 || urls.length > maxSegments) throw new Error(`${urls.length} segments`)
  for (const each of urls) if (!URL.canParse(each)) throw new Error(`a segment at ${each}`)
}

/** Reads an answer as the reader process does, and checks what every source promises. */
const read = (json: string): void => {
  const source = readAnswer(new TextEncoder().encode(json), url, 0)
  if (source === 'playlist') return
  const { title, renditions, captions, chapters, about } = source
  if (title.length > 500 || renditions.length > 2_000 || captions.length > 2_000 || chapters.length > 1_000) {
    throw new Error(`${title.length}, ${renditions.length}, ${captions.length}, ${chapters.length}`)
  }
  const { id, uploader, publishedAt, description, tags, language } = about
  const limited = (text: string | null, most: number) => text === null || (text !== '' && text.length <= most)
  const isLimited = [limited(id, 100), limited(uploader, 200), limited(description, 10_000), limited(language, 100)]
  if (!isLimited.every(Boolean) || tags.length > 100 || !tags.every((tag) => limited(tag, 100)))
    throw new Error(`about ${JSON.stringify(about)}`)
  if (publishedAt !== null && !/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/.test(publishedAt)) throw new Error(publishedAt)
  for (const { id, transport } of renditions) {
    if (id.length > 100) throw new Error(`an id of ${id.length} characters`)
    checkTransport(transport)
  }
  for (const { language, transport, later = [] } of captions) {
    if (language.length > 100) throw new Error(`a language of ${language.length} characters`)
    for (const part of [{ transport }, ...later]) checkTransport(part.transport)
  }
}

const empty = { formats: [], subtitles: {}, automatic_captions: {}, chapters: [], several: false }
const file = '{"format_id":"f#n","url":"https://a.example/#n.mp4"}'
/** An answer with one member that the parts make. Arrays and objects of parts end with a plain item. */
const answer = (member: string, open: string, parts: Part[], close: string): Part[] => [
  once(`{"info":${JSON.stringify({ ...empty, formats: undefined, [member]: undefined }).slice(0, -1)}`),
  ...(member === 'formats' ? [] : [once(`,"formats":[${file}]`)]),
  once(`,"${member}":${open}`),
  ...parts,
  once(`${close}}}`),
]
const formats = (...parts: Part[]): Part[] => answer('formats', '[', parts, `${file}]`)
const segments = (...parts: Part[]): Part[] =>
  formats(once('{"format_id":"s","protocol":"http_dash_segments",'), ...parts, once('},'))

const suspects: Record<string, Part[]> = {
  formats: formats(repeated(`${file},`)),
  'the same format': formats(repeated('{"format_id":"f","url":"https://a.example/a.mp4"},')),
  'formats with DRM': formats(repeated('{"format_id":"f","has_drm":true},')),
  'segments of one format': segments(once('"url":"https://a.example/","fragments":['), repeated('"#n",'), once('"x"]')),
  'formats of segments with a long base': formats(
    repeated(
      `{"format_id":"s","protocol":"http_dash_segments","fragment_base_url":"https://a.example/${'a'.repeat(200)}/","fragments":[${'"b",'.repeat(50)}"b"]},`,
    ),
  ),
  headers: formats(
    once('{"format_id":"f","url":"https://a.example/a","http_headers":{'),
    repeated('"h#n":"v",'),
    once('"a":"b"}},'),
  ),
  'a long header': formats(
    once('{"format_id":"f","url":"https://a.example/a","http_headers":{"a":"'),
    repeated('b'),
    once('"}},'),
  ),
  'a long URL': formats(once('{"format_id":"f","url":"https://a.example/'), repeated('b'), once('"},')),
  'a long id': formats(once('{"url":"https://a.example/","format_id":"'), repeated('b'), once('"},')),
  'a long title': answer('title', '"', [repeated('a\\ud800')], '"'),
  'a title of spaces': answer('title', '"', [once('a'), repeated(' '), once('b')], '"'),
  'a long name of the extractor': answer('extractor', '"', [repeated('a:')], '"'),
  'a long description': answer('description', '"', [repeated('a\\ud800')], '"'),
  'a description of short lines': answer('description', '"', [repeated('a\\r\\n')], '"'),
  'an author of spaces': answer('uploader', '"', [once('a'), repeated(' '), once('b')], '"'),
  tags: answer('tags', '[', [repeated('"a",')], '"b"]'),
  'a long date': answer('upload_date', '"', [repeated('2026')], '"'),
  chapters: answer(
    'chapters',
    '[',
    [repeated('{"start_time":#n,"end_time":#n,"title":"x"},')],
    '{"start_time":0,"end_time":1}]',
  ),
  languages: answer('subtitles', '{', [repeated('"a#n":[{"url":"https://a.example/a.vtt","ext":"vtt"}],')], '"b":[]}'),
  'files of one language': answer(
    'subtitles',
    '{"a":[',
    [repeated('{"url":"https://a.example/a.vtt","ext":"vtt"},')],
    '{}]}',
  ),
  'periods of one language': answer(
    'subtitles',
    '{"a":[',
    [repeated('{"url":"https://a.example/a.vtt","ext":"vtt","period":#n},')],
    '{}]}',
  ),
  'automatic languages': answer(
    'automatic_captions',
    '{',
    [
      repeated(
        '"a#n":[{"url":"https://a.example/a.vtt","ext":"vtt"}],"a#n-orig":[{"url":"https://a.example/a.vtt","ext":"vtt"}],',
      ),
    ],
    '"b":[]}',
  ),
  'a long language': answer('automatic_captions', '{"', [repeated('a-')], '-orig":[]}'),
  'arrays in arrays': answer('chapters', '', [repeated('[')], ''),
  'unknown members': answer('chapters', '[],', [repeated('"a#n":1,')], '"b":1'),
  'an error': [once('{"error":{"kind":"ExtractorError","text":"'), repeated('live '), once('"}}')],
}

test.each(Object.entries(suspects))('%s: twice as many take twice as long', (_title, parts) =>
  growsLinearly(parts, read),
)

/** Measured: at most 80 operations for each character of an answer, and 350 for the smallest. */
const budget: Budget = { each: 150, fixed: 1_000 }

test('the URLs of a small answer with a long base are limited', () => {
  const base = `https://a.example/${'a'.repeat(16_000)}/`
  const fragments = Array.from({ length: 100_000 }, (_, index) => `${index}`)
  const long = { format_id: 'f', protocol: 'http_dash_segments', fragment_base_url: base, fragments }
  const json = JSON.stringify({ info: { ...empty, formats: [long, long] } })
  // Each URL is read, written and joined.
  within({ each: budget.each, fixed: 4 * maxUrlsCharacters }, json.length, () => read(json))
})

const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -1, 1e308, 2 ** 53, 0.5))
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    ...['', 'none', '__proto__', 'constructor', 'toString', 'en-orig', 'en', 'vtt', 'mp4', 'm3u8', 'https', 'mhtml'],
  ),
  fc.constantFrom(
    ...['https://a.example/a', 'http://[::1', '//b', '../..', 'javascript:0', 'https://a.example/#', 'file:///etc'],
  ),
  fc.string({ minLength: 90, maxLength: 600 }),
)
/** Mostly values of the right type, as a program with an error would write them, and sometimes any value. */
const orAny = (right: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
const record = (members: Record<string, Arbitrary<unknown>>, required: string[]): Arbitrary<unknown> =>
  fc.record(members, { requiredKeys: required })

const located = {
  url: text,
  protocol: fc.constantFrom('https', 'm3u8_native', 'http_dash_segments', 'ism', '__proto__'),
  ext: fc.constantFrom('mp4', 'vtt', 'json3', 'ttml', 'ass', 'mhtml', 'constructor'),
  http_headers: fc.dictionary(text, text, { maxKeys: 4 }),
  fragments: fc.array(fc.oneof(text, fc.constant(null)), { maxLength: 5 }),
  fragment_base_url: text,
  period: number,
  shift: number,
}
const format = record(
  {
    ...located,
    format_id: text,
    manifest_url: text,
    vcodec: text,
    acodec: text,
    width: number,
    height: number,
    tbr: number,
    abr: number,
    filesize: number,
    filesize_approx: number,
    language: text,
    tier: number,
    has_drm: fc.oneof(fc.boolean(), text),
  },
  ['format_id', 'url'],
)
const tracks = fc.dictionary(text, fc.array(record(located, ['url']), { maxLength: 4 }), { maxKeys: 5 })
const info = fc.record({
  info: orAny(
    record(
      {
        title: text,
        duration: number,
        thumbnail: text,
        extractor: text,
        webpage_url: text,
        direct: fc.boolean(),
        language: text,
        is_live: fc.boolean(),
        live_status: text,
        id: text,
        uploader: text,
        channel: text,
        creator: text,
        timestamp: number,
        release_timestamp: number,
        upload_date: fc.oneof(text, fc.stringMatching(/^\d{8}$/)),
        description: text,
        tags: orAny(fc.array(text, { maxLength: 5 })),
        formats: orAny(fc.array(orAny(format), { maxLength: 8 })),
        subtitles: orAny(tracks),
        automatic_captions: orAny(tracks),
        chapters: orAny(
          fc.array(record({ title: text, start_time: number, end_time: number }, ['start_time', 'end_time']), {
            maxLength: 5,
          }),
        ),
        several: fc.boolean(),
      },
      ['formats', 'subtitles', 'automatic_captions', 'chapters', 'several'],
    ),
  ),
})
const failure = fc.record({ error: orAny(fc.record({ kind: text, text })) })

test('any answer is read or refused within the budget', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 8, arbitrary: info }, failure, fc.jsonValue()), (value) => {
      const json = JSON.stringify(value)
      within(budget, json.length, () => read(json))
    }),
    runs(150),
  )
})

test('any change of a valid answer is read or refused within the budget', () => {
  fc.assert(
    fc.property(mutationsOf(samplesOf(suspects)), (bytes) => {
      within(budget, bytes.length, () => read(Buffer.from(bytes).toString('utf8')))
    }),
    runs(75),
  )
})
