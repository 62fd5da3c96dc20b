import { spawn } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { archiveOf } from '../../../self-host/backup/archive.ts'
import { filesIn, takeSnapshot } from '../../../self-host/backup/snapshot.ts'

let state: string
let copy: string
let runtimePid: number

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-snapshot-'))
  ;[state, copy] = [join(folder, 'state'), join(folder, 'copy')]
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  runtimePid = child.pid ?? 0
})

const write = async (name: string) => {
  const path = join(state, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, name)
}

const snapshot = () => takeSnapshot({ state, folder: copy, runtimePid, migrations: [] })

test('what a failed backup has left is replaced', async () => {
  await mkdir(join(copy, 'state'), { recursive: true })
  await writeFile(join(copy, 'state/left'), 'left')
  for (const name of ['secrets.env', 'd1/x/1.sqlite']) await write(name)
  expect(await snapshot()).toMatchObject({ files: 2, bytes: 'secrets.env'.length + 'd1/x/1.sqlite'.length })
  expect(await readdir(copy)).toEqual(['backup.json', 'state'])
  expect((await filesIn(join(copy, 'state'))).sort()).toEqual(['d1/x/1.sqlite', 'secrets.env'])
  expect(await readFile(join(copy, 'state/d1/x/1.sqlite'), 'utf8')).toBe('d1/x/1.sqlite')
})

test('a media file that is still being written is not in the backup, which it would break when it grows', async () => {
  for (const name of ['object', 'part', 'unfinished']) await write(`r2/bucket/blobs/${name}`)
  await mkdir(join(state, 'r2/x'))
  // A running workerd has all of it in the write-ahead log.
  const database = new DatabaseSync(join(state, 'r2/x/1.sqlite'))
  onTestFinished(() => database.close())
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE _mf_objects (blob_id TEXT, size INTEGER);
    CREATE TABLE _mf_multipart_parts (blob_id TEXT, size INTEGER);
    INSERT INTO _mf_objects VALUES ('object', 22), (NULL, 20);
    INSERT INTO _mf_multipart_parts VALUES ('part', 20)`)
  await snapshot()
  await appendFile(join(state, 'r2/bucket/blobs/unfinished'), 'more')
  expect((await filesIn(join(copy, 'state'))).sort()).toEqual([
    'r2/bucket/blobs/object',
    'r2/bucket/blobs/part',
    'r2/x/1.sqlite',
    'r2/x/1.sqlite-wal',
  ])
  expect(Object.keys(JSON.parse(await readFile(join(copy, 'backup.json'), 'utf8')).files)).toHaveLength(4)
  expect(await readdir(join(copy, 'state/r2/x'))).not.toContain('1.sqlite-shm')
  expect((await archiveOf(copy).toArray()).length).toBeGreaterThan(0)
})
