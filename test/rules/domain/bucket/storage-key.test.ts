import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  MAX_FILENAME_BYTES,
  MAX_KEY_BYTES,
  MAX_PREFIX_BYTES,
  objectKey,
} from '../../../../domain/bucket/object-name.ts'
import {
  alternativeKeys,
  companionKey,
  type KeyValues,
  storageKeyOf,
  storageKeyProblem,
} from '../../../../domain/bucket/storage-key.ts'
import { runs } from '../../../support/runs.ts'

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

const values: KeyValues = {
  uploader: 'Ada',
  title: 'Talk',
  id: 'aqz-KE-bpKQ',
  extractor: 'youtube',
  publishedAt: '2026-03-04T23:30:00.000Z',
  createdAt: Date.UTC(2026, 10, 27, 23, 59),
  playlist: 'Talks',
  index: 0,
  jobId: 'imp_01K0000000000000000000000A',
  ext: 'mp4',
  metadata: { show: 'The show' },
}
const keyOf = (template: string, own: Partial<KeyValues> = {}) => storageKeyOf(template, { ...values, ...own })

describe('a template is refused', () => {
  const unknown = (name: string, at: number) =>
    `has an unknown name {${name}} at character ${at}; the names are uploader, title, id, extractor, date, year, month, day, playlist, index, jobId, ext, metadata.KEY`
  test.each([
    ['{uploader}/{titel}.{ext}', unknown('titel', 12)],
    ['{}.{ext}', unknown('', 1)],
    ['{toString}.{ext}', unknown('toString', 1)],
    ['{metadata}.{ext}', unknown('metadata', 1)],
    ['{metadata.}.{ext}', unknown('metadata.', 1)],
    ['{metadata.a b}.{ext}', unknown('metadata.a b', 1)],
    ['{metadata.__proto__}.{ext}', unknown('metadata.__proto__', 1)],
    ['{uploader/title}.{ext}', unknown('uploader/title', 1)],
    ['a{title.{ext}', 'has a { without its } at character 2'],
    ['{{title}}.{ext}', 'has a { without its } at character 1'],
    ['{title}}.{ext}', 'has a } without its { at character 8'],
    ['', 'must end with .{ext}'],
    ['{title}', 'must end with .{ext}'],
    ['{title}{ext}', 'must end with .{ext}'],
    ['{title}.{ext}/', 'must end with .{ext}'],
    ['{title}.{EXT}', 'must end with .{ext}'],
    ['.{ext}', 'must have a name before .{ext}'],
    ['a/.{ext}', 'must have a name before .{ext}'],
    ['..{ext}', 'must have a name before .{ext}'],
    ['a/...{ext}', 'must have a name before .{ext}'],
    ['/{title}.{ext}', 'must not contain empty segments at character 1'],
    ['a//{title}.{ext}', 'must not contain empty segments at character 3'],
    ['../{title}.{ext}', 'must not contain . or .. as a segment at character 3'],
    ['a/./{title}.{ext}', 'must not contain . or .. as a segment at character 4'],
    ['a\\{title}.{ext}', 'must not contain control characters or backslashes'],
    ['a\n{title}.{ext}', 'must not contain control characters or backslashes'],
    ['\ud800{title}.{ext}', 'is not valid Unicode'],
    [`${'a/'.repeat(20)}{title}.{ext}`, 'must not have more than 20 segments'],
    [`${'a'.repeat(490)}/{title}.{ext}`, 'must not be longer than 500 characters'],
  ])('%j %s', (template, problem) => {
    expect(storageKeyProblem(template)).toBe(problem)
    expect(() => keyOf(template)).toThrow(new RangeError(`The storageKey ${problem}`))
  })
})

describe('a template becomes a key', () => {
  test.each<[string, Partial<KeyValues>, string]>([
    ['{uploader}/{date}/{title}.{ext}', {}, 'Ada/2026-03-04/Talk.mp4'],
    ['{year}/{month}/{day} {index} {title}.{ext}', {}, '2026/03/04 001 Talk.mp4'],
    ['{extractor}/{playlist}/{id} {jobId}.{ext}', {}, `youtube/Talks/aqz-KE-bpKQ ${values.jobId}.mp4`],
    ['{metadata.show}/{ext}/{title}.{ext}', {}, 'The show/mp4/Talk.mp4'],
    ['films: 100%/CON/.{title}.{ext}', {}, 'films: 100%/CON/.Talk.mp4'],
    ['{title}.{ext}', { ext: 'transcript.json' }, 'Talk.transcript.json'],

    ['{date}.{ext}', { publishedAt: '2026-03-05T01:30:00+02:00' }, '2026-03-04.mp4'],
    ['{date}.{ext}', { publishedAt: null }, '2026-11-27.mp4'],
    ['{date}.{ext}', { publishedAt: 'soon' }, '2026-11-27.mp4'],
    ['{date}.{ext}', { publishedAt: '+010000-01-01T00:00:00.000Z' }, '2026-11-27.mp4'],
    ['{index}.{ext}', { index: null }, '001.mp4'],
    ['{index}.{ext}', { index: 41 }, '042.mp4'],
    ['{index}.{ext}', { index: 1_233 }, '1234.mp4'],

    ['{uploader}/{title}.{ext}', { uploader: null, title: '' }, 'unknown/unknown.mp4'],
    ['{playlist}/{id} {extractor}.{ext}', { playlist: null, id: null, extractor: null }, 'unknown/unknown unknown.mp4'],
    ['{metadata.constructor}/{title}.{ext}', {}, 'unknown/Talk.mp4'],
    ['{uploader}/{title}.{ext}', { uploader: '..', title: '\u0000 . ' }, 'unknown/unknown.mp4'],
    ['.{uploader}./{title}.{ext}', { uploader: '.' }, '.unknown./Talk.mp4'],

    ['{title}.{ext}', { title: '1/5 ../x' }, '1_5 .._x.mp4'],
    ['{uploader}/{title}.{ext}', { uploader: '../../etc', title: 'C:\\x' }, '_.._etc/C__x.mp4'],
    ['{title}.{ext}', { title: '  gpj\u202e4pm\u0007 \n \ud800 ' }, 'gpj4pm \ufffd.mp4'],
    ['{title}.{ext}', { title: 'con' }, 'con_.mp4'],
    ['{uploader}/{title}.{ext}', { uploader: 'NUL.x', title: 'thumbnail' }, 'NUL_.x/thumbnail.mp4'],
    ['{title}.{ext}', { title: '{uploader}' }, '{uploader}.mp4'],
    ['{uploader}/{title}.{ext}', { uploader: '.R.E.M.', title: '...Ready?' }, 'R.E.M/Ready_.mp4'],
    ['{uploader} - {title}.{ext}', { uploader: 'R.E.M.', title: '...Ready' }, 'R.E.M. - ...Ready.mp4'],
  ])('%s with %j: %s', (template, own, key) => {
    expect(storageKeyProblem(template)).toBeNull()
    expect(keyOf(template, own)).toBe(key)
  })
})

describe('a segment has at most 180 bytes', () => {
  const japanese = '漢'.repeat(300)
  const cut = '漢'.repeat(60)
  test.each<[string, Partial<KeyValues>, string]>([
    ['{uploader}/{title}.{ext}', { uploader: japanese, title: japanese }, `${cut}/${cut}.mp4`],
    ['{title}.{ext}', { title: '👍🏽'.repeat(100) }, `${'👍🏽'.repeat(22)}.mp4`],
    ['{title}.{ext}', { title: `${'a'.repeat(178)}. .b` }, `${'a'.repeat(178)}.mp4`],
    ['{title}.{ext}', { title: `con.${'a'.repeat(180)}` }, `con_.${'a'.repeat(175)}.mp4`],
    ['.{title}.{ext}', { title: `${'.'.repeat(300)}a` }, 'unknown.mp4'],
    [`${'ü'.repeat(100)}/{title}.{ext}`, {}, `${'ü'.repeat(90)}/Talk.mp4`],
    [`${'ü'.repeat(100)}{title}.{ext}`, {}, `${'ü'.repeat(90)}.mp4`],
  ])('%s with %j: %s', (template, own, key) => expect(keyOf(template, own)).toBe(key))

  test('what stands beside a long value is kept', () => {
    expect(keyOf('{title} [{id}].{ext}', { title: japanese })).toBe(`${'漢'.repeat(55)} [aqz-KE-bpKQ].mp4`)
    expect(keyOf('{title} [{id}].{ext}', { title: `${'a'.repeat(164)} ...b` })).toBe(
      `${'a'.repeat(164)} [aqz-KE-bpKQ].mp4`,
    )
    expect(keyOf('{uploader} - {title}.{ext}', { uploader: japanese, title: japanese })).toBe(
      `${'漢'.repeat(29)} - ${'漢'.repeat(29)}.mp4`,
    )
  })

  test('many long folders are cut further, and short ones are not', () => {
    const [short, ...long] = keyOf('{playlist}/{uploader}/{uploader}/{uploader}/{title}.{ext}', {
      uploader: japanese,
    }).split('/')
    expect(short).toBe('Talks')
    expect(long).toEqual([...Array(3).fill('漢'.repeat(55)), 'Talk.mp4'])
  })
})

describe('files beside the media', () => {
  test.each([
    ['a/Talk.mp4', 'mp4', '.en.vtt', 'a/Talk.en.vtt'],
    ['Talk.mp4', 'mp4', '.jpg', 'Talk.jpg'],
    ['a.b/v1.2.tar.gz', 'tar.gz', '.info.json', 'a.b/v1.2.info.json'],
    [`a/${'x'.repeat(240)}.mp4`, 'mp4', '.transcript.en.json', `a/${'x'.repeat(236)}.transcript.en.json`],
  ])('%s (%s) with %s: %s', (key, ext, suffix, expected) => expect(companionKey(key, ext, suffix)).toBe(expected))

  test('a key that is taken gets the id or the job', () => {
    const { jobId } = values
    expect(alternativeKeys('a/Talk.mp4', 'mp4', { id: 'x/../y', jobId })).toEqual([
      'a/Talk.mp4',
      'a/Talk [x_.._y].mp4',
      `a/Talk [${jobId}].mp4`,
    ])
    expect(alternativeKeys('Talk.mp4', 'mp4', { id: null, jobId })).toEqual(['Talk.mp4', `Talk [${jobId}].mp4`])
  })
})

/** Without `size`, few would be long enough to be cut. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500, size: 'max' }),
  fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
  fc
    .array(
      fc.constantFrom(
        '/',
        '\\',
        '.',
        '..',
        ' ',
        '\n',
        '\u202e',
        '\ud83d',
        '👨‍👩‍👧‍👦',
        '🇩🇪',
        'e\u0301',
        '漢',
        'con',
        'a',
      ),
      { maxLength: 300, size: 'max' },
    )
    .map((parts) => parts.join('')),
)
const maybe = fc.option(texts)
const anyValues: fc.Arbitrary<KeyValues> = fc.record({
  uploader: maybe,
  title: maybe,
  id: fc.option(texts.map((text) => text.slice(0, 100))),
  extractor: maybe,
  publishedAt: fc.option(
    fc.oneof(
      texts,
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    ),
  ),
  createdAt: fc.nat(4e12),
  playlist: maybe,
  index: fc.option(fc.nat(10_000)),
  jobId: fc.constant(values.jobId),
  ext: fc.constantFrom('mp4', 'webm', 'transcript.json'),
  metadata: fc.record({ show: texts }),
})
const names = [
  'uploader',
  'title',
  'id',
  'extractor',
  'date',
  'index',
  'playlist',
  'jobId',
  'ext',
  'metadata.show',
  'metadata.no',
]
const parts = fc.oneof(
  fc.constantFrom(...names).map((name) => `{${name}}`),
  fc.constantFrom('a', '.', ' ', ' - ', '漢', '👍🏽', 'con', '/', '/'),
)
const templates = fc
  .array(parts, { minLength: 1, maxLength: 60, size: 'max' })
  .map((all) => `${all.join('')}.{ext}`)
  .filter((template) => storageKeyProblem(template) === null)

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\\:*?"<>|]/u

test('any values give a key with the segments of its template, each within its limit', () => {
  fc.assert(
    fc.property(templates, anyValues, (template, given) => {
      const key = storageKeyOf(template, given)
      const segments = key.split('/')
      const written = template.split('/')
      expect(segments).toHaveLength(written.length)
      expect(key.endsWith(`.${given.ext}`)).toBe(true)
      expect(key.isWellFormed()).toBe(true)
      expect(key).not.toMatch(UNSAFE)
      const stems = segments.with(-1, segments.at(-1)?.slice(0, -given.ext.length - 1) ?? '')
      for (const [at, segment] of stems.entries()) {
        expect(sizeOf(segment)).toBeLessThanOrEqual(180)
        if (!written[at]?.replace(/\.\{ext\}$/, '').includes('{')) continue
        expect(segment).toMatch(/[^. ]/)
        expect(segment).not.toMatch(/^(?:con|nul)(?:\.|$)/i)
        if (written[at]?.startsWith('{')) expect(segment).not.toMatch(/^[. ]/)
      }
    }),
    runs(1_000),
  )
})

test('every key that is made of a template fits below the longest pathPrefix', () => {
  const pathPrefix = 'p'.repeat(MAX_PREFIX_BYTES)
  fc.assert(
    fc.property(
      templates,
      anyValues,
      fc.string({ unit: 'grapheme-ascii', maxLength: 63, size: 'max' }),
      (template, given, suffix) => {
        const { ext } = given
        const own = storageKeyOf(template, given)
        const alternatives = alternativeKeys(own, ext, given)
        expect(alternatives[0]).toBe(own)
        expect(new Set(alternatives).size).toBe(alternatives.length)
        for (const key of alternatives) {
          const companion = companionKey(key, ext, `.${suffix.replaceAll(/[/\\]/g, '')}`)
          expect(companion.startsWith(key.slice(0, -ext.length - 1))).toBe(true)
          for (const each of [key, companion]) {
            const [filename = '', ...folders] = each.split('/').toReversed()
            const whole = objectKey({ pathPrefix, storagePath: folders.toReversed().join('/'), filename })
            expect(whole).toBe(`${pathPrefix}/${each}`)
            expect(sizeOf(whole)).toBeLessThanOrEqual(MAX_KEY_BYTES)
            expect(sizeOf(filename)).toBeLessThanOrEqual(MAX_FILENAME_BYTES)
          }
        }
      },
    ),
    runs(1_000),
  )
})
