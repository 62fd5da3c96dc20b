import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEgress, type Egress } from '../../../../../container/egress/egress.ts'
import { createGuard } from '../../../../../container/egress/guard.ts'
import { findWalls } from '../../../../../container/sandbox/walls.ts'
import { createExtractor, type WarmExtractor } from '../../../../../container/source/extractor/extractor.ts'
import type { Wheel } from '../../../../../container/source/extractor/versions/package-index.ts'
import { createReleases } from '../../../../../container/source/extractor/versions/releases.ts'
import { attempts } from '../../../sandbox/python.ts'
import { python } from '../shared-extractor.ts'
import { extractorSite, never } from '../site.ts'
import { startIndex } from './local-index.ts'

const site = extractorSite()
const { isolation } = await findWalls()

/** Code of a wheel that runs when yt-dlp is imported. Each title that it extracts is what its attempts came to. */
const hostile = (folder: string, forbidden: string): string => `
import sys
${attempts}
def _answers():
    # As the warm process writes them: the id of a request, and JSON.
    forged = b''.join(b'%d {"info": {"title": "forged"}}\\n' % id for id in range(1, 50))
    for descriptor in range(64):
        try: os.write(descriptor, forged if descriptor < 3 else b'')
        except OSError: pass
    return 'tried'
AT_IMPORT = {
    'secret of the container': attempt(content, ${JSON.stringify(join(folder, 'secret'))}),
    'state': attempt(os.listdir, ${JSON.stringify(join(folder, 'state'))}),
    'another version': attempt(os.listdir, ${JSON.stringify(join(folder, 'versions/2029.1.1'))}),
    'sockets of proxies': attempt(os.listdir, ${JSON.stringify(join(folder, 's'))}),
    'checkout': attempt(os.listdir, ${JSON.stringify(join(import.meta.dirname, '../../../../..'))} + '/test'),
    'environment': sorted(os.environ),
    'a port': attempt(connect, ${new URL(forbidden).port}),
    'own files': attempt(write, __file__.split('.whl')[0] + '.whl'),
    'temporary files': attempt(write, '/tmp/written'),
    'processes': [each for each in processes() if each != os.getpid()],
    'parent': attempt(os.kill, os.getppid() or 999999, 9) if os.getppid() else 'none',
    'debugging': call('ptrace', 16, 1, 0, 0),
    'keys': call('keyctl', 0, -1, 0, 0, 0),
    'answers': _answers(),
}
SEEN = []
from yt_dlp.YoutubeDL import YoutubeDL as _YoutubeDL
def _extract_info(self, url, *args, **kwargs):
    if url.endswith('/seen'): SEEN.append(url)
    if url.endswith('/seen'): title = json.dumps(SEEN)
    else: title = json.dumps(AT_IMPORT)
    return {'id': '1', 'title': title, 'formats': [{'format_id': '1', 'url': 'http://x.invalid/1.mp4', 'ext': 'mp4'}], 'extractor': 'generic'}
_YoutubeDL.extract_info = _extract_info
`

// A system without bubblewrap has no walls that could be tested. There the container refuses to work.
describe.runIf(isolation === 'bubblewrap')('a wheel with code against its engine', () => {
  let folder: string
  let extractor: WarmExtractor
  let egress: Egress
  const read = async (path: string) => JSON.parse((await extractor.extract(site.origin + path, egress, never)).title)
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haul-hostile-wheel-'))
    for (const each of ['state', 'versions/2029.1.1', 's', 'wheels'])
      await mkdir(join(folder, each), { recursive: true })
    await writeFile(join(folder, 'secret'), 'secret', { mode: 0o600 })
    const index = await startIndex(join(folder, 'wheels'))
    const appended = { 'yt_dlp/__init__.py': hostile(folder, site.forbidden) }
    // As a module of ours.
    const files = { 'confine.py': '', 'forks.py': 'raise SystemExit' }
    await index.publish('2030.1.1', { appended, files })
    const releases = createReleases({ python, folder: join(folder, 'versions'), indexUrl: index.url })
    const release = await releases.install((await releases.newest('stable', never)) as Wheel, never)
    await index.close()
    egress = createEgress({
      guard: createGuard({ allow: '', lookup: async () => [] }),
      socketFolder: join(folder, 's'),
    })
    // Another job's.
    await egress.proxySocket()
    extractor = createExtractor({ python, release, socketFolder: join(folder, 's') })
  })
  afterAll(async () => {
    await extractor.close()
    await egress.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('brings nothing but its package', () => extractor.ready())

  test('reads and writes nothing, and reaches no network, from the moment of its import', async () => {
    expect(await read('/one')).toEqual({
      ...{ 'secret of the container': 'ENOENT', state: 'ENOENT', 'another version': 'ENOENT', checkout: 'ENOENT' },
      ...{ 'sockets of proxies': [], 'own files': 'EROFS', 'temporary files': 'EFBIG' },
      ...{ 'a port': 'ECONNREFUSED', processes: [], parent: 'none' },
      ...{ debugging: 'EPERM', keys: 'EPERM', answers: 'tried', environment: expect.any(Array) },
    })
    expect(site.forbiddenRequests).toBe(0)
  })

  test("neither answers for other jobs, nor keeps what it has seen of one for the next one's fork", async () => {
    const titles = await Promise.all(['/one/seen', '/two/seen', '/three/seen'].map(read))
    expect(titles).toEqual(['/one/seen', '/two/seen', '/three/seen'].map((path) => [site.origin + path]))
  })
})
