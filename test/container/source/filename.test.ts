import { expect, test } from 'vitest'
import { fileNameOf, nameInUrl, stemOf } from '../../../container/source/filename.ts'

/** A header as Node decodes it: Latin-1. */
const onTheWire = (text: string) => Buffer.from(text).toString('latin1')

test.each([
  // Valid according to RFC 6266 and RFC 8187.
  ['attachment; filename=plain.mp4', 'plain.mp4'],
  ['attachment; filename="with spaces.mp4"', 'with spaces.mp4'],
  ['attachment; filename="semi;colon, comma.mp4"', 'semi;colon, comma.mp4'],
  ['attachment; filename="say \\"hi\\".mp4"', 'say _hi_.mp4'],
  ['inline; FileName="case.mp4"', 'case.mp4'],
  ["attachment; filename*=UTF-8''na%C3%AFve%20film.mp4", 'naïve film.mp4'],
  ["attachment; filename*=utf-8'en'%E2%82%AC%20rates.mp4", '€ rates.mp4'],
  ["attachment; filename*=ISO-8859-1''gr%FC%DFe.mp4", 'grüße.mp4'],
  ['attachment; filename="fallback.mp4"; filename*=UTF-8\'\'%F0%9F%8E%AC.mp4', '🎬.mp4'],
  ['attachment; filename*=UTF-8\'\'%F0%9F%8E%AC.mp4; filename="fallback.mp4"', '🎬.mp4'],
  ['attachment; filename*=UTF-8\'\'broken%E2%82; filename="fallback.mp4"', 'fallback.mp4'],
  ["attachment; filename*=koi8-r''%C6; filename=fallback.mp4", 'fallback.mp4'],
  ['attachment', null],
  ['', null],
  [null, null],
  // Invalid, but sent by real origins.
  [onTheWire('attachment; filename="naïve €.mp4"'), 'naïve €.mp4'],
  ['attachment; filename="gr\xfc\xdfe.mp4"', 'grüße.mp4'],
  ['attachment; filename=un quoted name.mp4', 'un quoted name.mp4'],
  ['attachment; filename="never closed.mp4', 'never closed.mp4'],
  ['filename="no type.mp4"', 'no type.mp4'],
  ['attachment; filename="percent%20encoded.mp4"', 'percent encoded.mp4'],
  ['attachment; filename="100% sure.mp4"', '100% sure.mp4'],
  ['attachment; filename*="UTF-8\'\'quoted%20all%20the%20same.mp4"', 'quoted all the same.mp4'],
  ['attachment; filename="=?UTF-8?B?ZsOqdGUubXA0?="', 'fête.mp4'],
  ['attachment; filename="=?utf-8?Q?f=C3=AAte_d=27hiver.mp4?="', "fête d'hiver.mp4"],
  // Attacks.
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="..\\\\..\\\\windows\\\\film.mp4"', 'film.mp4'],
  ["attachment; filename*=UTF-8''..%2F..%2Ffilm.mp4", 'film.mp4'],
  ['attachment; filename="/"', null],
  ['attachment; filename=".."', null],
  ['attachment; filename="...hidden.mp4"', 'hidden.mp4'],
  ["attachment; filename*=UTF-8''a%00b%0D%0Ac.mp4", 'abc.mp4'],
  ["attachment; filename*=UTF-8''film%E2%80%AE4pm.exe", 'film4pm.exe'],
  ['attachment; filename="CON.mp4"', '_CON.mp4'],
  ['attachment; filename="a<b>c:d|e?f*.mp4"', 'a_b_c_d_e_f_.mp4'],
])('the file name in %j is %j', (header, name) => expect(fileNameOf(header)).toBe(name))

test('a long name is cut to 200 bytes between characters and keeps its extension', () => {
  const name = fileNameOf(onTheWire(`attachment; filename="${'👩‍👩‍👧'.repeat(100)}.webm"`)) ?? ''
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
  expect(name).toMatch(/^(👩‍👩‍👧)+\.webm$/u)
})

test.each([
  ['https://a.example/films/The%20End.mp4?token=1#t=3', 'The End.mp4'],
  ['https://a.example/films/', 'films'],
  ['https://a.example/', 'a.example'],
  ['https://a.example/100%25.mp4', '100%.mp4'],
  ['https://a.example/bad%E2%82.mp4', 'bad%E2%82.mp4'],
  ['https://a.example/..%2F..%2Fpasswd', 'passwd'],
])('the name in %s is %s', (url, name) => expect(nameInUrl(url)).toBe(name))

test.each([
  ['film.mp4', 'film'],
  ['film.tar.gz', 'film.tar'],
  ['Vol. 2', 'Vol. 2'],
  ['.mp4', '.mp4'],
])('%s without its extension is %s', (name, stem) => expect(stemOf(name)).toBe(stem))

test('a header of more than 4,096 characters is ignored', () => {
  expect(fileNameOf(`attachment; filename="${'a'.repeat(4_096)}.mp4"`)).toBeNull()
})

test('a name is cut before it is cleaned, so that dots at its end take no time', () => {
  expect(fileNameOf(`attachment; filename="film${'.'.repeat(4_000)}x"`)).toBe('film')
})

test('a name that is one character of many bytes is cut within it', () => {
  expect(fileNameOf(`attachment; filename="${'%CC%81'.repeat(200)}"`)).toBe('\u0301'.repeat(100))
})

test('a name that ends with a dot after it was cut loses the dot', () => {
  expect(fileNameOf(`attachment; filename="${'a.'.repeat(300)}extension"`)).toBe(`${'a.'.repeat(99)}a`)
})
