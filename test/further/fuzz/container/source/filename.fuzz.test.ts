import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileNameOf, nameInUrl, stemOf } from '../../../../../container/source/filename.ts'
import { filenameOf } from '../../../../../domain/media/safe-filename.ts'
import { runs } from '../../../../support/runs.ts'
import {
  assembled,
  type Budget,
  growsLinearly,
  once,
  type Part,
  partsOf,
  repeated,
  textOf,
  within,
} from '../../hostile-input.ts'

/** What every name promises: a base name of at most 255 bytes that no file system refuses. */
const checkName = (name: string): void => {
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
  expect(name).not.toMatch(/[/\\<>:"|?*\p{Cc}\p{Cs}\u202e]|^[\s.]|[\s.]$/u)
  expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
  expect(name).not.toBe('')
}

/** Nothing comes from more than 16,384 bytes: Node refuses larger headers, and larger URLs are no URLs here. */
const maxInputCharacters = 16_000
const header = (text: string): string => text.slice(0, maxInputCharacters)
const path = (text: string): string =>
  `https://a.example/${encodeURI(text.slice(0, maxInputCharacters / 9).toWellFormed())}`

const read: Record<string, (text: string) => string | null> = {
  'a header': (text) => fileNameOf(header(text)),
  'a file name in a header': (text) => fileNameOf(`attachment; filename="${header(text)}"`),
  'an extended file name in a header': (text) => fileNameOf(`attachment; filename*=UTF-8''${header(text)}`),
  'a URL': (text) => nameInUrl(path(text)),
  'a title': (text) => filenameOf(text.slice(0, 500), 'mp4'),
}

const fragments = [
  ...['attachment', 'inline', ';', '; ', '=', '"', "'", '\\', '\\"', 'filename', 'filename=', 'filename*='],
  ...["UTF-8''", "ISO-8859-1'en'", 'filename="', 'filename*0="', '%', '%2e', '%2F', '%00', '%ff', '=?utf-8?b?'],
  ...['=?utf-8?q?', '?=', 'YWJj', '=41', '_', '.', '..', '...', '/', '\\', ' ', '\t', ':', '?', '#', 'con', 'NUL'],
  ...['lpt1', '.mp4', '.tar', 'a', 'ä', '😀', '\u202e', '\ud83d', '\u0301', 'ﷺ'],
]

const suspects: Record<string, Part[]> = {
  dots: [once('a'), repeated('.'), once('b')],
  spaces: [once('a'), repeated(' '), once('b')],
  'dots and spaces': [repeated('. ')],
  slashes: [repeated('/'), once('a')],
  'parts of a path': [repeated('a/')],
  parameters: [once('attachment'), repeated('; a#n=b')],
  'parameters without a name': [once('attachment'), repeated(';')],
  'parts of a file name': [once('attachment'), repeated('; filename*#n="a"')],
  'file names': [once('attachment'), repeated('; filename="a')],
  'escaped quotes': [once('attachment; filename="'), repeated('\\"')],
  'encoded words': [repeated('=?utf-8?b?YWJj?= ')],
  'encoded words that never end': [repeated('=?utf-8?q?')],
  'percent signs': [repeated('%')],
  'percent-encoded bytes': [repeated('%c3%a4')],
  'combining characters': [once('e'), repeated('\u0301')],
  'letters that Unicode takes apart': [repeated('ﷺ')],
  'joined emojis': [repeated('👩\u200d')],
  'names that Windows reserves': [repeated('con.')],
  extensions: [repeated('.a')],
}

/** Measured: at most 45 operations for each character, and 600 for the shortest. */
const budget: Budget = { each: 100, fixed: 2_000 }

describe.each(Object.entries(read))('the name in %s', (_, name) => {
  const check = (text: string): void => {
    const found = within(budget, text.length, () => name(text))
    if (found !== null) checkName(found)
  }

  test.each(Object.entries(suspects))('%s: a safe name in linear time', (_title, parts) => {
    growsLinearly(parts, name, 7_000)
    check(assembled(parts, 500))
  })

  test('any text gives a safe name within the budget', () => {
    fc.assert(fc.property(textOf(fragments), check), runs(75))
  })

  // Not that the operations grow with the text, because they stop where a header is ignored or a name is cut.
  test('any text of parts that repeat gives a safe name within the budget', () => {
    fc.assert(
      fc.property(partsOf(fragments), fc.nat(300), (parts, count) => check(assembled(parts, count))),
      runs(20),
    )
  })
})

test('a stem is what precedes the extension', () => {
  fc.assert(
    fc.property(textOf(fragments), (text) => {
      const stem = within(budget, text.length, () => stemOf(text)) ?? ''
      expect(text.startsWith(stem)).toBe(true)
      expect(text.length - stem.length).toBeLessThanOrEqual(6)
    }),
    runs(50),
  )
})
