import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../../../../container/egress/egress.ts'
import { createGuard } from '../../../../../container/egress/guard.ts'
import { createExtractor } from '../../../../../container/source/extractor/extractor.ts'
import { createReleases } from '../../../../../container/source/extractor/versions/releases.ts'
import { createTokenProvider } from '../../../../../container/source/tokens/token-provider.ts'
import { startTokenProvider, tokenFor } from '../../../../doubles/internet/token-provider.ts'
import { python } from '../shared-extractor.ts'
import { never } from '../site.ts'
import { startIndex } from './local-index.ts'

/** YouTube cannot be reached here, so this version shows the token of a video as the title of a page. */
const showsTokens = `
def _show_token(self, url, extract=GenericIE._real_extract):
    if not url.endswith('/video'):
        return extract(self, url)
    from yt_dlp.extractor.youtube.pot.provider import PoTokenContext
    youtube = self._downloader.get_info_extractor('Youtube')
    youtube.initialize()
    token = youtube.fetch_po_token(
        context=PoTokenContext.PLAYER, ytcfg=youtube._get_default_ytcfg('web'), video_id='v', required=True)
    return {'id': 'v', 'title': f'token {token}', 'url': f'{url}.mp4', 'ext': 'mp4'}
GenericIE._real_extract = _show_token
`

test('a newer version of yt-dlp gets tokens too, and reads without one when the provider fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-tokens-'))
  // Covered for yt-dlp, so the versions cannot be in it.
  const socketFolder = join(folder, 'sockets')
  const [index, provider] = await Promise.all([startIndex(folder), startTokenProvider('1.3.1')])
  const { requestToken, close } = createTokenProvider({ url: provider.url, log: () => {} })
  const egress = createEgress({
    guard: createGuard({ lookup: async () => [] }),
    socketFolder,
    requestToken,
  })
  const releases = createReleases({ python, folder: join(folder, 'versions'), indexUrl: index.url })
  await index.publish('2030.1.1', { appended: { 'yt_dlp/extractor/generic.py': showsTokens } })
  const wheel = await releases.newest('stable', never)
  if (!wheel) throw new Error('the index has no version')
  const extractor = createExtractor({ python, socketFolder, release: await releases.install(wheel, never) })
  onTestFinished(async () => {
    await extractor.close()
    await Promise.all([egress.close(), close(), index.close(), provider.close()])
    await rm(folder, { recursive: true, force: true })
  })
  const title = async () => (await extractor.extract('http://video.example/video', egress, never)).title
  expect(await title()).toBe(`token ${tokenFor('v')}`)
  expect(provider.asked).toMatchObject([{ content_binding: 'v' }])
  provider.answerWith((response) => void response.writeHead(500).end('{"error":"BotGuard"}'))
  expect(await title()).toBe('token None')
})
