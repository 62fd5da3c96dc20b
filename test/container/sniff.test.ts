import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sniff } from '../../container/source/sniff.ts'
import { fixture } from '../origin/fixtures.ts'

test.each([
  ['tail-index.mp4', 'mp4'],
  ['faststart.mp4', 'mp4'],
  ['fragmented.mp4', 'mp4'],
  ['clip.mov', 'mov'],
  ['tone.m4a', 'm4a'],
  ['clip.webm', 'webm'],
  ['clip.mkv', 'mkv'],
  ['tone.mp3', 'mp3'],
  ['untagged.mp3', 'mp3'],
  ['tone.flac', 'flac'],
  ['tone.ogg', 'ogg'],
  ['tone.wav', 'wav'],
  ['tone.aac', 'aac'],
  ['clip.ts', 'ts'],
  ['clip.avi', 'avi'],
  ['clip.flv', 'flv'],
  ['hls-ts/master.m3u8', 'm3u8'],
  ['dash/manifest.mpd', 'mpd'],
  ['still.jpg', 'image'],
  ['still.png', 'image'],
  ['empty.mp4', 'other'],
  ['captions/en.vtt', 'other'],
])('%s is %s by its first 4 KiB', async (name, kind) => {
  const bytes = await readFile(fixture(name))
  expect(sniff(bytes.subarray(0, 4_096))).toBe(kind)
})

const id3 = (...rest: number[]) => [...Buffer.from('ID3\x04\0\0\0\0\0\x02xx', 'latin1'), ...rest]

test.each([
  ['a page', '<!DOCTYPE html><html>', 'html'],
  ['a page without a doctype', '\n\n  <HTML lang=en>', 'html'],
  ['a page after a comment', '<!-- <MPD> made by hand --><!doctype HTML><body>', 'html'],
  ['XHTML', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="y">', 'html'],
  ['a page with a byte order mark', '\ufeff<html>', 'html'],
  [
    'a manifest after a comment',
    '<?xml version="1.0"?>\n<!-- packager --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011">',
    'mpd',
  ],
  ['a manifest with a prefix', '<dash:MPD xmlns:dash="x">', 'mpd'],
  ['a feed', '<?xml version="1.0"?><rss version="2.0">', 'other'],
  ['a playlist with a byte order mark', '\ufeff#EXTM3U\n', 'm3u8'],
  ['JSON', '{"a":1}', 'other'],
  ['plain text', 'Not found', 'other'],
  ['GIF', 'GIF89a', 'image'],
  ['old QuickTime', '\0\0\0\x08wide\0\0\0\0mdat', 'mov'],
  ['a segment of fMP4', '\0\0\0\x18stypmsdh', 'mp4'],
  ['AVIF', '\0\0\0\x1cftypavif', 'image'],
  ['a zip', 'PK\x03\x04', 'other'],
  ['a PDF', '%PDF-1.7', 'other'],
])('%s is told from the rest', (_what, text, kind) => {
  expect(sniff(Buffer.from(text))).toBe(kind)
})

test('what follows an ID3 tag decides', () => {
  expect(sniff(Buffer.from(id3(...Buffer.from('fLaC'))))).toBe('flac')
  expect(sniff(Buffer.from(id3(0xff, 0xf1, 0x50, 0x80, 0x01, 0x7f, 0xfc)))).toBe('aac')
  expect(sniff(Buffer.from(id3(0xff, 0xfb, 0x90, 0)))).toBe('mp3')
})

test('noise is nothing, and no head of any length throws', () => {
  for (let i = 0; i < 2_000; i++) {
    const bytes = Buffer.from(Array.from({ length: i % 40 }, (_, k) => (i * 31 + k * 17) % 256))
    expect(typeof sniff(bytes)).toBe('string')
  }
  expect(sniff(Buffer.alloc(4_096, 0xff))).toBe('other')
  expect(sniff(Buffer.alloc(4_096))).toBe('other')
})
