import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  accessKeyIdProblem,
  accessKeyIdRule,
  bucketNameProblem,
  bucketNameRule,
  regionProblem,
  regionRule,
} from '../../../../domain/bucket/bucket-rules.ts'
import { filenameProblem, filenameRule, pathProblem, pathRule } from '../../../../domain/bucket/object-name.ts'
import { storageKeyProblem, storageKeyRule } from '../../../../domain/bucket/storage-key.ts'
import { fits } from '../../../../domain/text-rule.ts'
import { runs } from '../../../support/runs.ts'

/** Texts near the limits of the rules. */
const texts = (...characters: string[]) =>
  fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map((parts) => parts.join(''))

test.each([
  ['bucket names', bucketNameProblem, bucketNameRule, texts('a', '1', '12', '127.0.0.1', '.', '-', 'A', '/', ' ')],
  ['regions', regionProblem, regionRule, texts('a', 'Z', '9', '-', '_', '/', ' ', '\n')],
  ['access key IDs', accessKeyIdProblem, accessKeyIdRule, fc.string({ unit: 'binary-ascii', maxLength: 3 })],
  ['paths', pathProblem, pathRule(), texts('a', 'ü', '.', '..', '/', '//', '\\', ' ', '\n', '\u0085', '…')],
  [
    'file names',
    filenameProblem,
    filenameRule,
    texts('a', '🎬', '.', '/', '\\', ' ', '\u3000', '\ufeff', '\t', '\u0001'),
  ],
  [
    'templates of keys',
    storageKeyProblem,
    storageKeyRule,
    texts(
      'a',
      'ü',
      '.',
      '..',
      '/',
      '\\',
      '\n',
      '{',
      '}',
      '{title}',
      '{titel}',
      '{ext}',
      '{metadata.a}',
      '{metadata.__proto__}',
    )
      .map((text) => [text, `${text}.{ext}`])
      .chain((either) => fc.constantFrom(...either)),
  ],
  [
    'templates of many segments',
    storageKeyProblem,
    storageKeyRule,
    fc.nat(40).map((folders) => `${'a/'.repeat(folders)}{title}.{ext}`),
  ],
] as const)('%s: the documented rule allows what validation allows', (_, problemOf, rule, text) => {
  fc.assert(
    fc.property(text, (text) => {
      expect(fits(rule, text)).toBe(problemOf(text) === null)
    }),
    runs(2_000),
  )
})

test.each([
  ['a path', pathProblem, pathRule()],
  ['a file name', filenameProblem, filenameRule],
] as const)('%s may have as many characters as bytes, which only validation can count', (_, problemOf, rule) => {
  for (const length of [rule.maxLength, rule.maxLength + 1]) {
    expect(fits(rule, 'x'.repeat(length))).toBe(problemOf('x'.repeat(length)) === null)
  }
  expect(fits(rule, 'ü'.repeat(rule.maxLength))).toBe(true)
  expect(problemOf('ü'.repeat(rule.maxLength))).not.toBeNull()
})

test.each(['a', '127.0.0.1', '127.1', '1.2.3.4.5', 'media.127.0.0.1'])(
  '%s is the name of a bucket by both rules or by neither',
  (name) => {
    expect(fits(bucketNameRule, name)).toBe(bucketNameProblem(name) === null)
  },
)
