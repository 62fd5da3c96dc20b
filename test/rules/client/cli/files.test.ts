import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DownloadError, download } from '../../../../client/cli/files/download.ts'
import { numberedFilename, safeFilename, save, targetOf } from '../../../../client/cli/files/save.ts'
import { listenOnLoopback } from '../../../support/loopback.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-files-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('names from a source', () => {
  test.each([
    ['../../etc/passwd', '_.._etc_passwd'],
    ['..\\..\\evil.exe', '_.._evil.exe'],
    ['/etc/cron.d/x', '_etc_cron.d_x'],
    ['..', 'media'],
    ['', 'media'],
    ['-rf.mp4', 'rf.mp4'],
    ['.bashrc', 'bashrc'],
    ['a\u0000b\nc\u001b[2Jd.mp4', 'abcd.mp4'],
    ['film\u202e4pm.exe', 'film4pm.exe'],
    ['con.mp4', 'con_.mp4'],
    ['A talk: part 1?.mp4', 'A talk_ part 1_.mp4'],
    [`${'語'.repeat(100)}.webm`, `${'語'.repeat(78)}.webm`],
  ])('%j becomes %j', (name, safe) => {
    expect(safeFilename(name)).toBe(safe)
    expect(basename(join(folder, safeFilename(name)))).toBe(safe)
  })

  test('a second file of the same name has a number before its extension', () => {
    expect(numberedFilename('talk.mp4', 2)).toBe('talk (2).mp4')
    expect(numberedFilename('talk', 3)).toBe('talk (3)')
  })
})

const saveText = (text: string) => async (write: (chunk: Uint8Array) => Promise<void>) => write(Buffer.from(text))
const saved = async (output: string, text: string, force = false) => {
  const target = await targetOf(join(folder, output), { force })
  if (!target) throw new Error('no target')
  return save(target, 'talk.mp4', saveText(text))
}

describe('where a file is saved', () => {
  test('-o names the file', async () => {
    expect(await saved('film.mp4', 'one')).toBe(join(folder, 'film.mp4'))
    expect(await readFile(join(folder, 'film.mp4'), 'utf8')).toBe('one')
  })

  test('an existing file is refused before any work, unless --force is given', async () => {
    await writeFile(join(folder, 'film.mp4'), 'old')
    await expect(saved('film.mp4', 'new')).rejects.toThrow('exists already. Overwrite it with --force.')
    expect(await saved('film.mp4', 'new', true)).toBe(join(folder, 'film.mp4'))
    expect(await readFile(join(folder, 'film.mp4'), 'utf8')).toBe('new')
  })

  test('a file that appears while the job runs is not overwritten', async () => {
    const path = join(folder, 'film.mp4')
    const target = await targetOf(path)
    if (!target) throw new Error('no target')
    const filling = save(target, 'film.mp4', async (write) => {
      await writeFile(path, 'from another program')
      await write(Buffer.from('ours'))
    })
    await expect(filling).rejects.toThrow('exists already')
    expect(await readFile(path, 'utf8')).toBe('from another program')
    expect(await readdir(folder)).toEqual(['film.mp4'])
  })

  test('in a folder the file has its own name, and a free one if that is taken', async () => {
    expect(await saved('', 'one')).toBe(join(folder, 'talk.mp4'))
    expect(await saved('', 'two')).toBe(join(folder, 'talk (2).mp4'))
    expect(await readFile(join(folder, 'talk.mp4'), 'utf8')).toBe('one')
    expect(await saved('', 'three', true)).toBe(join(folder, 'talk.mp4'))
  })

  test('a file that is not complete has another name, and is removed when the work fails', async () => {
    const target = await targetOf(join(folder, 'film.mp4'))
    if (!target) throw new Error('no target')
    const filling = save(target, 'film.mp4', async (write) => {
      await write(Buffer.from('half'))
      const names = await readdir(folder)
      expect(names).toEqual([expect.stringMatching(/^\.film\.mp4\..*\.part$/)])
      throw new Error('broken')
    })
    await expect(filling).rejects.toThrow('broken')
    expect(await readdir(folder)).toEqual([])
  })

  test.each(['nowhere/film.mp4', 'nowhere/'])('%s in a folder that does not exist is refused', async (output) => {
    await expect(targetOf(`${folder}/${output}`)).rejects.toThrow('does not exist')
  })

  test('a device is written as it is', async () => {
    await symlink('/dev/null', join(folder, 'nothing'))
    expect(await targetOf('/dev/null')).toEqual({ kind: 'stream', path: '/dev/null' })
    expect(await saved('nothing', 'text')).toBeNull()
  })
})

describe('a download', () => {
  const film = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251))
  const sha256 = createHash('sha256').update(film).digest('hex')

  /** A server that answers each request in its turn; the last behaviour stays. */
  const downloadFrom = async (
    behaviours: ((response: ServerResponse, from: number) => void)[],
    expected: { sizeBytes?: number; sha256?: string } = { sizeBytes: film.length, sha256 },
  ) => {
    const ranges: (string | undefined)[] = []
    const server = createServer((request, response) => {
      const { range } = request.headers
      const behave = behaviours[Math.min(ranges.length, behaviours.length - 1)]
      ranges.push(range)
      behave?.(response, Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0))
    })
    const { url, close } = await listenOnLoopback(server)
    const chunks: Uint8Array[] = []
    const write = async (chunk: Uint8Array) => void chunks.push(chunk.slice())
    const options = { signal: new AbortController().signal, pauseMs: 1 }
    const problem = await download({ url, ...expected }, write, options)
      .then(
        () => null,
        (error: Error) => error,
      )
      .finally(close)
    return { problem, ranges, bytes: Buffer.concat(chunks) }
  }

  const sendFrom = (response: ServerResponse, from: number) => {
    const headers = { 'content-range': `bytes ${from}-${film.length - 1}/${film.length}` }
    response.writeHead(from > 0 ? 206 : 200, from > 0 ? headers : {}).end(film.subarray(from))
  }
  const breakAfter = (count: number) => (response: ServerResponse, from: number) => {
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': film.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${film.length - 1}/${film.length}` } : {}),
    })
    response.write(film.subarray(from, from + count), () => setTimeout(() => response.destroy(), 20))
  }
  const refuse = (status: number) => (response: ServerResponse) => void response.writeHead(status).end()

  const sendAll = (response: ServerResponse) => sendFrom(response, 0)

  test.each([
    ['is resumed where it broke', [breakAfter(100_000), breakAfter(50_000), sendFrom], [100_000, 150_000]],
    ['is written once by a server without ranges', [breakAfter(100_000), sendAll], [100_000]],
    ['is tried again after errors of the server', [refuse(503), refuse(500), sendFrom], []],
  ])('%s', async (_, behaviours, resumed) => {
    const { problem, bytes, ranges } = await downloadFrom(behaviours)
    expect(problem).toBeNull()
    expect(bytes.equals(film)).toBe(true)
    expect(ranges.filter((range) => range !== undefined)).toEqual(resumed.map((from) => `bytes=${from}-`))
  })

  test('without a size it is whole when the response has ended', async () => {
    const { problem, bytes, ranges } = await downloadFrom([breakAfter(100_000), sendAll], {})
    expect(problem).toBeNull()
    expect(bytes.equals(film)).toBe(true)
    expect(ranges).toEqual([undefined, 'bytes=100000-'])
  })

  test('a link that has expired is not tried again', async () => {
    const { problem, ranges } = await downloadFrom([refuse(410)])
    expect(problem).toMatchObject({ status: 410, message: 'The file is no longer stored.' })
    expect(ranges).toHaveLength(1)
  })

  test('five attempts without a byte are enough', async () => {
    const { problem, ranges } = await downloadFrom([breakAfter(0)])
    expect(problem).toBeInstanceOf(DownloadError)
    expect(ranges).toHaveLength(5)
  })

  test('bytes that are not those of the stored file are an error', async () => {
    const other = await downloadFrom([sendFrom], { sizeBytes: film.length, sha256: '0'.repeat(64) })
    expect(other.problem).toMatchObject({ message: 'The downloaded bytes are not those of the stored file.' })
    const longer = await downloadFrom([sendFrom], { sizeBytes: film.length - 1, sha256 })
    expect(longer.problem).toMatchObject({ message: 'The downloaded bytes are not those of the stored file.' })
  })
})
