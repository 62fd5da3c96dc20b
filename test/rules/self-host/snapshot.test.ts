import { spawn } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { archiveOf } from '../../../self-host/backup/archive.ts'
import { filesIn, takeSnapshot } from '../../../self-host/backup/snapshot.ts'

const HOUR_S = 3_600
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

const write = async (name: string, changedS: number) => {
  const path = join(state, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, name)
  const at = Date.now() / 1_000 + changedS
  await utimes(path, at, at)
}

const snapshot = () => takeSnapshot({ state, folder: copy, runtimePid, migrations: [] })

test('a process stands still only while what may have changed is copied a second time', async () => {
  for (const name of ['secrets.env', 'd1/x/old.txt', 'r2/bucket/blobs/old']) await write(name, -HOUR_S)
  for (const name of ['d1/x/new.txt', 'r2/bucket/blobs/new']) await write(name, HOUR_S)
  expect(await snapshot()).toMatchObject({ files: 5, copiedInPause: 1 })
  expect(await readdir(copy)).toEqual(['backup.json', 'state'])
  expect(await readFile(join(copy, 'state/d1/x/new.txt'), 'utf8')).toBe('d1/x/new.txt')
})

test('a media file that is still being written is not in the backup, which it would break when it grows', async () => {
  for (const name of ['object', 'part', 'unfinished']) await write(`r2/bucket/blobs/${name}`, -HOUR_S)
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
