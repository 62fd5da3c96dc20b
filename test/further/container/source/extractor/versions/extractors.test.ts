import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../../../../../container/egress/egress.ts'
import { createGuard } from '../../../../../../container/egress/guard.ts'
import {
  createExtractors,
  type TrackedExtractor,
} from '../../../../../../container/source/extractor/versions/extractors.ts'
import { createReleases } from '../../../../../../container/source/extractor/versions/releases.ts'
import { scratchFolder } from '../../../../../container/audio/recordings.ts'
import { childrenOf } from '../../../../../container/processes.ts'
import { python } from '../../../../../container/source/extractor/shared-extractor.ts'
import { extractorSite, never } from '../../../../../container/source/extractor/site.ts'
import { startIndex } from '../../../../../container/source/extractor/versions/local-index.ts'

const site = extractorSite()

const folder = scratchFolder()

/** An engine's yt-dlp, and the index that it looks at. */
const startEngine = async (channel: string, indexUrl?: URL) => {
  const versions = await mkdtemp(join(folder, 'versions-'))
  const socketFolder = await mkdtemp(join(folder, 's-'))
  const index = await startIndex(await mkdtemp(join(folder, 'wheels-')))
  onTestFinished(() => index.close())
  const egress = createEgress({
    guard: createGuard({ allow: new URL(site.origin).host, lookup: async () => [] }),
    socketFolder,
  })
  onTestFinished(() => egress.close())
  const events: string[] = []
  const extractors = createExtractors({
    ...{ python, socketFolder, channel },
    releases: createReleases({ python, folder: versions, indexUrl: indexUrl ?? index.url }),
    // No test waits for it: they call `check`.
    checkMs: 3_600_000,
    log: (event) => void events.push(event),
  })
  onTestFinished(() => extractors.close())
  await extractors.ready()
  const titleIn = async (extractor: TrackedExtractor, path = '/one'): Promise<string> =>
    (await extractor.extract(site.origin + path, egress, never)).title
  /** What a job gets now. */
  const inJob = async (path?: string) => {
    const session = extractors.session()
    try {
      const extractor = session.tracked()
      const title = await titleIn(extractor, path).catch((error: { code?: string }) => error.code)
      return { title, version: extractor.readBy?.extractorVersion }
    } finally {
      session.close()
    }
  }
  return { index, extractors, events, titleIn, inJob, folders: () => readdir(versions) }
}

const isOfThisTest = ({ args }: { args: string }) => args.includes('warm.py') && args.includes(folder)

test('a newer version of the channel is taken between two jobs, and the one before is removed', async () => {
  const { index, extractors, events, titleIn, inJob, folders } = await startEngine('stable')
  const { version: built } = await inJob()
  const session = extractors.session()
  const running = session.tracked()
  // What a wheel has beside its package is not used.
  const beside = ['json.py', 'sitecustomize.py', 'relay.py'].map((name) => [name, 'raise SystemExit'])
  // It reads what it is proven with, and fails with a page of this site.
  const appended = { 'yt_dlp/networking/_urllib.py': failsWith('/several') }
  await index.publish('2030.1.1', { files: Object.fromEntries(beside), appended })
  await extractors.check()
  const state = { version: '2030.1.1', channel: 'stable', problem: null }
  expect(extractors.state).toEqual(state)
  expect(await inJob()).toEqual({ title: 'A page', version: '2030.1.1' })
  // A job that runs ends with the version that it began with.
  expect(await titleIn(running)).toBe('A page')
  expect(running.readBy).toEqual({ extractor: 'html5', extractorVersion: built })
  session.close()
  expect((await extractors.sites(never)).version).toBe('2030.1.1')
  // It stays in use however often it fails, because any caller could cause failures.
  for (let job = 0; job < 5; job++) {
    expect(await inJob('/several')).toEqual({ title: 'SOURCE_UNSUPPORTED', version: '2030.1.1' })
  }
  await extractors.check()
  expect(extractors.state).toEqual(state)
  expect([events, await folders()]).toEqual([['yt-dlp changed'], ['2030.1.1']])

  await index.publish('2030.1.2')
  await extractors.check()
  expect(await folders()).toEqual(['2030.1.2'])
  expect(childrenOf(process.pid).filter(isOfThisTest)).toHaveLength(1)
})

const failsWith = (path: string): string => `
import urllib.request
_open = urllib.request.OpenerDirector.open
def open(self, request, *args, **kwargs):
    if request.full_url.endswith('${path}'):
        raise KeyError('a mistake')
    return _open(self, request, *args, **kwargs)
urllib.request.OpenerDirector.open = open
del open
`

test('a version that cannot read what this one reads is refused until it can, and so is a newer one', async () => {
  const { index, extractors, events, inJob, folders } = await startEngine('stable')
  const { version } = extractors.state
  await index.publish('2030.1.1', { appended: { 'yt_dlp/extractor/generic.py': 'GenericIE._real_extract = None\n' } })
  await extractors.check()
  const problem = `yt-dlp 2030.1.1 was refused: it fails to read a page (SOURCE_UNSUPPORTED). ${version} is used.`
  expect(extractors.state).toMatchObject({ version, problem })
  expect(await inJob()).toEqual({ title: 'A page', version })
  // One that does not even start.
  await index.publish('2030.1.2', { appended: { 'yt_dlp/__init__.py': 'raise ImportError("another mistake")\n' } })
  await extractors.check()
  const newer = `yt-dlp 2030.1.2 was refused: ImportError: another mistake. ${version} is used.`
  expect(extractors.state).toMatchObject({ version, problem: newer })
  expect([events, await folders()]).toEqual([['yt-dlp refused', 'yt-dlp refused'], []])
  // The reason was a passing one, of this machine or of the index.
  await index.publish('2030.1.2')
  await extractors.check()
  expect(extractors.state).toMatchObject({ version: '2030.1.2', problem: null })
})

test('an older version is used if it is named, and one that the index does not have is a problem that is said', async () => {
  const { index, extractors } = await startEngine('2020.1.1')
  const { version } = extractors.state
  await extractors.check()
  expect(extractors.state).toMatchObject({ version, problem: expect.stringContaining('answered 404') })
  await index.publish('2030.1.1')
  await extractors.check()
  const problem = 'The package index has no yt-dlp 2020.1.1 for this Python.'
  expect(extractors.state).toMatchObject({ version, problem })
  await index.publish('2020.1.1')
  await extractors.check()
  expect(extractors.state).toMatchObject({ version: '2020.1.1', problem: null })
})

// It needs the public index, so only `npm run test:long` runs it.
test.runIf(process.env.HAUL_TEST_LONG)('a version of the public index is fetched, proven and used', async () => {
  const { extractors, inJob } = await startEngine('2026.10.21', new URL('https://pypi.org/simple'))
  expect(extractors.state.version).not.toBe('2026.10.21')
  await extractors.check()
  expect(extractors.state).toMatchObject({ version: '2026.10.21', problem: null })
  expect(await inJob()).toEqual({ title: 'A page', version: '2026.10.21' })
})
