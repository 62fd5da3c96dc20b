import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createPackageIndex,
  newestOf,
  type Wheel,
} from '../../../../../container/source/extractor/versions/package-index.ts'
import { listenOnLoopback } from '../../../../support/loopback.ts'

const signal = new AbortController().signal
const wheel = 'the bytes of a wheel'
const sha256 = createHash('sha256').update(wheel).digest('hex')

const file = (version: string, more: object = {}) => ({
  filename: `yt_dlp-${version}-py3-none-any.whl`,
  url: `../../files/${version}.whl`,
  hashes: { sha256 },
  ...more,
})

const projects: Record<string, unknown> = {
  'yt-dlp': {
    files: [
      { ...file('2026.10.26'), filename: 'yt_dlp-2026.10.26.tar.gz' },
      file('2026.10.9'),
      file('2026.10.26'),
      file('2026.10.26.220202.dev0'),
      file('2026.11.1', { 'requires-python': '>=3.12' }),
      file('2026.11.2', { yanked: 'broken' }),
      file('2026.11.3', { hashes: { md5: 'a weak one' } }),
      { ...file('2026.11.4'), filename: 'yt_dlp-2026.11.4-cp311-cp311-manylinux_2_17_x86_64.whl' },
      { ...file('2026.11.5'), filename: 'yt_dlp_plugin-2026.11.5-py3-none-any.whl' },
      file('2026.3.17'),
    ],
  },
  nonsense: { packages: [] },
}

let index: ReturnType<typeof createPackageIndex>
let close: () => Promise<unknown>
let forbidden: Awaited<ReturnType<typeof listenOnLoopback>>
beforeAll(async () => {
  forbidden = await listenOnLoopback(createServer((_, response) => response.end(wheel)))
  const server = createServer((request, response) => {
    const [, kind, name = ''] = request.url?.split('/') ?? []
    if (kind === 'files') return void response.end(name === 'changed.whl' ? 'other bytes' : wheel)
    if (name === 'moved') return void response.writeHead(302, { location: `${forbidden.url}/` }).end()
    if (name === 'endless') return void writeForever(response)
    const project = projects[name]
    response.writeHead(project ? 200 : 404).end(JSON.stringify(project ?? {}))
  })
  const listening = await listenOnLoopback(server)
  close = listening.close
  const url = new URL(`${listening.url}/simple`)
  index = createPackageIndex({ url, pythonVersion: '3.11.7', lookup: async () => [] })
})
afterAll(async () => {
  await close()
  await forbidden.close()
})

const writeForever = (response: NodeJS.WritableStream): void => {
  const write = () => {
    while (response.writable && response.write(Buffer.alloc(1_000_000)));
  }
  response.on('drain', write)
  response.on('error', () => {})
  write()
}

describe('a channel', () => {
  test.each([
    ['stable', '2026.10.26'],
    ['nightly', '2026.10.26.220202.dev0'],
    ['2026.10.9', '2026.10.9'],
    // As yt-dlp itself writes it.
    ['2026.03.17', '2026.3.17'],
    ['2026.11.1', null],
    ['2026.11.2', null],
    ['2019.1.1', null],
  ])('%s is %s: the newest that this Python runs, that has a digest and is not withdrawn', async (channel, version) => {
    expect(newestOf(await index.wheelsOf('yt-dlp', signal), channel)?.version ?? null).toBe(version)
  })
})

test('a wheel is what its digest says', async () => {
  const newest = newestOf(await index.wheelsOf('yt-dlp', signal), 'stable') as Wheel
  expect(Buffer.from(await index.download(newest, signal)).toString()).toBe(wheel)
  const changed = { ...newest, url: newest.url.replace('2026.10.26', 'changed') }
  await expect(index.download(changed, signal)).rejects.toThrow('does not have the digest that the index states')
})

test.each([
  ['unknown', 'answered 404'],
  ['nonsense', 'does not answer as PEP 691 says'],
  ['endless', 'sends more than 20000000 bytes'],
  ['moved', 'could not be reached'],
])('an index whose project is %s is an error that says so', async (project, message) => {
  await expect(index.wheelsOf(project, signal)).rejects.toThrow(message)
})

test('nothing but the index and the host of a file is reached', async () => {
  const elsewhere = { version: '2026.10.26', url: forbidden.url, sha256 }
  await expect(index.download(elsewhere, signal)).rejects.toThrow('could not be reached')
})

test('a public index cannot lead to a file in a private network', async () => {
  const reached = (lookup: Record<string, string>, url: string) => {
    const found = createPackageIndex({
      url: new URL('https://index.example/simple'),
      pythonVersion: '3.11.7',
      lookup: async (name) => [{ address: lookup[name] ?? '', family: 4 }],
    })
    const failureOf = (error: Error): string => (error.cause instanceof Error ? failureOf(error.cause) : error.message)
    return found.download({ version: '1', url, sha256 }, AbortSignal.timeout(60_000)).then(String, failureOf)
  }
  const inside = { 'index.example': '198.51.100.1', 'files.example': '127.0.0.1' }
  const outside = { ...inside, 'index.example': '93.184.215.14' }
  expect(await reached(outside, 'https://files.example/one.whl')).toContain('public')
  expect(await reached(inside, 'http://files.example/one.whl')).toContain('not a host of the package index')
})
