import { expect, test } from 'vitest'
import { problemsOfFiles, problemsOfLicences } from '../../../../../scripts/release/package-files.ts'

const rule = { required: ['LICENSE'], allowed: /^(LICENSE|.+\.js)$/, maxFiles: 2, maxBytes: 100 }

test('a package may not be too large or have too many files', () => {
  expect(problemsOfFiles(['LICENSE', 'a.js', 'b.js'], { name: 'package', sizeBytes: 101 }, rule)).toEqual([
    'package has 3 files, and may have 2.',
    'package has 101 bytes, and may have 100.',
  ])
})

test('what is installed with a package may be used in any program', () => {
  const packages = [
    { name: 'commander', license: 'MIT' },
    { name: 'packaging', license: 'Apache-2.0 OR BSD-2-Clause' },
    { name: 'copyleft', license: 'GPL-3.0-only' },
    { name: 'unknown', license: 'undefined' },
  ]
  expect(problemsOfLicences(packages)).toEqual([
    'copyleft, which is installed with the package, has the licence "GPL-3.0-only".',
    'unknown, which is installed with the package, has the licence "undefined".',
  ])
})
