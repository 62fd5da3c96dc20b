import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type FileKind, sniff } from '../../../container/source/sniff.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { byOutcome } from './by-outcome.ts'

const files: Partial<Record<FileKind, string[]>> = {
  mp4: ['tail-index.mp4', 'faststart.mp4', 'fragmented.mp4'],
  mov: ['clip.mov'],
  m4a: ['tone.m4a'],
  webm: ['clip.webm'],
  mkv: ['clip.mkv'],
  mp3: ['tone.mp3', 'untagged.mp3'],
  flac: ['tone.flac'],
  ogg: ['tone.ogg'],
  wav: ['tone.wav'],
  aac: ['tone.aac'],
  ts: ['clip.ts'],
  avi: ['clip.avi'],
  flv: ['clip.flv'],
  m3u8: ['hls-ts/master.m3u8'],
  mpd: ['dash/manifest.mpd'],
  image: ['still.jpg', 'still.png'],
  other: ['empty.mp4', 'captions/en.vtt'],
}

test.each(Object.entries(files).flatMap(([kind, names]) => names.map((name) => [name, kind])))(
  '%s is recognized as %s by its first 4 KiB',
  async (name, kind) => {
    const bytes = await readFile(fixture(name))
    expect(sniff(bytes.subarray(0, 4_096))).toBe(kind)
  },
)

const texts = byOutcome<FileKind>({
  html: {
    'a page': '<!DOCTYPE html><html>',
    'a page without a doctype': '\n\n  <HTML lang=en>',
    'a page after a comment': '<!-- <MPD> made by hand --><!doctype HTML><body>',
    XHTML: '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="y">',
    'a page with a byte order mark': '\ufeff<html>',
  },
  mpd: {
    'a manifest after a comment': '<?xml version="1.0"?>\n<!-- packager --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011">',
    'a manifest with a prefix': '<dash:MPD xmlns:dash="x">',
  },
  feed: {
    RSS: '<?xml version="1.0"?><rss version="2.0">',
    'RSS with a doctype': '<!DOCTYPE rss [<!ENTITY x "y">]><rss>',
    'RSS after a style sheet and a comment': '<?xml version="1.0"?><?xml-stylesheet href="a"?>\n<!-- made --><rss>',
    Atom: '<feed xmlns="http://www.w3.org/2005/Atom">',
    'Atom with a prefix': '<a:feed xmlns:a="http://www.w3.org/2005/Atom">',
    'RSS 1.0': '<?xml version="1.0"?><rdf:RDF xmlns="http://purl.org/rss/1.0/">',
  },
  m3u8: { 'a playlist with a byte order mark': '\ufeff#EXTM3U\n' },
  mov: { 'old QuickTime': '\0\0\0\x08wide\0\0\0\0mdat' },
  mp4: { 'a segment of fMP4': '\0\0\0\x18stypmsdh' },
  image: { GIF: 'GIF89a', AVIF: '\0\0\0\x1cftypavif' },
  other: {
    JSON: '{"a":1}',
    'plain text': 'Not found',
    'a zip': 'PK\x03\x04',
    'a PDF': '%PDF-1.7',
    'a megabyte of processing instructions that are never closed': '<?'.repeat(524_288),
    'a megabyte of comments that are never closed': '<!--'.repeat(262_144),
  },
})

test.each(texts)('%s is recognized as %s', (_description, kind, text) => {
  expect(sniff(Buffer.from(text))).toBe(kind)
})

test('text in UTF-16 is recognized by its byte order mark', () => {
  const text = Buffer.from('\ufeff<?xml version="1.0"?><rss>', 'utf16le')
  expect(sniff(text)).toBe('feed')
  expect(sniff(Buffer.from(text).swap16())).toBe('feed')
})

const id3 = (...rest: number[]) => [...Buffer.from('ID3\x04\0\0\0\0\0\x02xx', 'latin1'), ...rest]

test('the bytes after an ID3 tag decide', () => {
  expect(sniff(Buffer.from(id3(...Buffer.from('fLaC'))))).toBe('flac')
  expect(sniff(Buffer.from(id3(0xff, 0xf1, 0x50, 0x80, 0x01, 0x7f, 0xfc)))).toBe('aac')
  expect(sniff(Buffer.from(id3(0xff, 0xfb, 0x90, 0)))).toBe('mp3')
})

test('noise is not recognized, and no length of input throws', () => {
  for (let i = 0; i < 2_000; i++) {
    const bytes = Buffer.from(Array.from({ length: i % 40 }, (_, k) => (i * 31 + k * 17) % 256))
    expect(typeof sniff(bytes)).toBe('string')
  }
  expect(sniff(Buffer.alloc(4_096, 0xff))).toBe('other')
  expect(sniff(Buffer.alloc(4_096))).toBe('other')
})
