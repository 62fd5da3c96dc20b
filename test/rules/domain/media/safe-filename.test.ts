import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filenameOf } from '../../../../domain/media/safe-filename.ts'

test.each([
  ['A film', 'A film.mp4'],
  ['  spaced   out  ', 'spaced out.mp4'],
  ['../../etc/passwd', '_.._etc_passwd.mp4'],
  ['C:\\Windows\\x', 'C__Windows_x.mp4'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j.mp4'],
  ['.hidden', 'hidden.mp4'],
  ['trailing...', 'trailing.mp4'],
  ['', 'media.mp4'],
  ['...', 'media.mp4'],
  ['\u0000\u0007bell', 'bell.mp4'],
  ['gpj\u202e4pm', 'gpj4pm.mp4'],
  ['Über 東京 😀', 'Über 東京 😀.mp4'],
  ['U\u0308ber', 'Über.mp4'],
  ['CON', 'CON_.mp4'],
  ['com1', 'com1_.mp4'],
  ['con.tar', 'con_.tar.mp4'],
  ['console', 'console.mp4'],
  ['thumbnail', 'thumbnail_.mp4'],
  ['100% #1 & more', '100% #1 & more.mp4'],
])('the title "%s" becomes %s', (title, filename) => expect(filenameOf(title, 'mp4')).toBe(filename))

test('any title becomes a name that every file system accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (title) => {
      const name = filenameOf(title, 'mp4')
      expect(new TextEncoder().encode(name).byteLength).toBeLessThanOrEqual(190)
      expect(name).toMatch(/^[^/\\:*?"<>|\p{Cc}]+\.mp4$/u)
      expect(name).not.toMatch(/^[. ]|[. ]\.mp4$/)
      expect(name).not.toBe('.mp4')
    }),
  )
})

test('a long title is cut between characters', () => {
  const family = '👨‍👩‍👧‍👦'
  const name = filenameOf(family.repeat(40), 'mp4')
  const people = name.slice(0, -'.mp4'.length)
  expect(new TextEncoder().encode(people).byteLength).toBeLessThanOrEqual(180)
  expect(people.isWellFormed()).toBe(true)
})

test('a title that is one character of many bytes is cut within it', () => {
  const name = filenameOf(`e${'\u0301'.repeat(400)}`, 'mp4')
  expect(new TextEncoder().encode(name).byteLength).toBeGreaterThan(180)
  expect(name).toMatch(/^\u00e9\u0301+\.mp4$/)
})
