import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Wheel } from '../../../../../container/source/extractor/versions/package-index.ts'
import { createReleases } from '../../../../../container/source/extractor/versions/releases.ts'
import { listenOnLoopback } from '../../../../support/loopback.ts'
import { python } from '../shared-extractor.ts'
import { never } from '../site.ts'
import { type Changes, startIndex } from './local-index.ts'

let folder: string
let versions: string
let index: Awaited<ReturnType<typeof startIndex>>
let releases: ReturnType<typeof createReleases>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-releases-'))
})
beforeEach(async () => {
  versions = await mkdtemp(join(folder, 'versions-'))
  index = await startIndex(await mkdtemp(join(folder, 'wheels-')))
  onTestFinished(() => index.close())
  releases = createReleases({ python, folder: versions, indexUrl: index.url })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const install = async () => releases.install((await releases.newest('stable', never)) as Wheel, never)

test.each<[string, Changes, string | undefined, string]>([
  ['has another digest than the index states', {}, '0'.repeat(64), 'does not have the digest that the index states'],
  ['requires scripts that the index does not have', { requires: ['yt-dlp-ejs==9.9.9'] }, undefined, 'yt-dlp-ejs 9.9.9'],
  ['does not say which scripts it requires', { requires: [] }, undefined, 'does not say which version of yt-dlp-ejs'],
])('nothing is left of a wheel that %s', async (_, changes, sha256, problem) => {
  await index.publish('2030.1.1', { files: { 'yt_dlp/__init__.py': '' }, ...changes, isSmall: true }, sha256)
  await expect(install()).rejects.toThrow(problem)
  expect(await readdir(versions)).toEqual([])
})

test('a version is its wheel and that of the scripts that it requires, as they are', async () => {
  await index.publish('2030.1.1')
  const release = await install()
  expect(release).toEqual({ version: '2030.1.1', folder: join(versions, '2030.1.1') })
  expect((await readdir(release.folder)).toSorted()).toEqual(['yt_dlp.whl', 'yt_dlp_ejs.whl'])
  await releases.remove(release)
  expect(await readdir(versions)).toEqual([])
})

test('an index that cannot be reached is an error that says so', async () => {
  const gone = await listenOnLoopback(createServer())
  await gone.close()
  const nowhere = createReleases({ python, folder: versions, indexUrl: new URL(gone.url) })
  await expect(nowhere.newest('stable', never)).rejects.toThrow('The package index could not be reached')
})
