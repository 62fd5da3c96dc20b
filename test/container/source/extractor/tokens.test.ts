import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../../../container/egress/egress.ts'
import { createGuard } from '../../../../container/egress/guard.ts'
import { findWalls } from '../../../../container/sandbox/walls.ts'
import { createTokenProvider } from '../../../../container/source/tokens/token-provider.ts'
import { startTokenProvider, tokenFor } from '../../../doubles/internet/token-provider.ts'
import { createHostileExtractor, type HostileExtractor } from './hostile-extractor.ts'
import { hls, html } from './pages.ts'
import { extractorSite, inExtractor, never } from './site.ts'

const { isolation } = await findWalls()

/** What yt-dlp's extractor for YouTube does when a player needs a token. */
const youtube = `
from yt_dlp.extractor.youtube.pot._registry import _pot_providers
from yt_dlp.extractor.youtube.pot.provider import PoTokenContext
youtube = resolver.get_info_extractor('Youtube')
youtube.initialize()
def token(context, client='web', **about):
    return youtube.fetch_po_token(
        client=client, context=context, ytcfg=youtube._get_default_ytcfg(client), required=True,
        player_url='https://www.youtube.com/player.js', **about)
`
const ofVisitor = `${youtube}
result = token(PoTokenContext.GVS, visitor_data='CgtWaXNpdG9yRGF0YQ', video_id='BaW_jenozKc')`

// A system without bubblewrap has no walls. There the container refuses to work.
describe.runIf(isolation === 'bubblewrap')('yt-dlp in a fork, with a token provider', () => {
  let provider: Awaited<ReturnType<typeof startTokenProvider>>
  let folder: string
  let fork: HostileExtractor
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    provider = await startTokenProvider()
    folder = await mkdtemp(join(tmpdir(), 'haul-tokens-'))
    const { requestToken, close } = createTokenProvider({
      url: provider.url,
      log: () => {},
      timeoutMs: 1_000,
      pauseMs: 0,
    })
    fork = await createHostileExtractor(folder, { requestToken })
    closing.push(fork.close, close, provider.close, () => rm(folder, { recursive: true, force: true }))
  })
  afterEach(() => {
    provider.answerWith(null)
    for (const list of [provider.requests, provider.asked]) list.length = 0
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  test('a token for media is bound to the visitor, and is what yt-dlp then uses', async () => {
    expect(await fork.run(ofVisitor)).toBe(tokenFor('CgtWaXNpdG9yRGF0YQ'))
    expect(provider.requests).toEqual(['POST /get_pot'])
    expect(provider.asked).toMatchObject([
      { content_binding: 'CgtWaXNpdG9yRGF0YQ', innertube_context: { client: { clientName: 'WEB' } } },
    ])
  })

  test('a token comes the same way when yt-dlp requests as a browser does', async () => {
    const code = `resolver.params['impersonate'] = resolve.BROWSER\n${ofVisitor}`
    expect(await fork.run(code)).toBe(tokenFor('CgtWaXNpdG9yRGF0YQ'))
    expect(provider.requests).toEqual(['POST /get_pot'])
  })

  test('tokens for a player and for captions are bound to the video', async () => {
    const code = `${youtube}
result = [token(each, video_id='BaW_jenozKc') for each in (PoTokenContext.PLAYER, PoTokenContext.SUBS)]`
    expect(await fork.run(code)).toEqual([tokenFor('BaW_jenozKc'), tokenFor('BaW_jenozKc')])
  })

  test('players of apps, whose tokens the provider does not make, ask for none', async () => {
    const code = `${youtube}
result = token(PoTokenContext.GVS, client='ios', visitor_data='x', video_id='BaW_jenozKc')`
    expect(await fork.run(code)).toBeNull()
    expect(provider.requests).toEqual([])
    expect(await fork.run(code.replace("'ios'", "'mweb'"))).toBe(tokenFor('x'))
  })

  test.each<[string, string]>([
    ['an error', '{"error":"BotGuard has changed"}'],
    ['nonsense', 'not JSON'],
    ['a list', '[1]'],
    ['a token that is a number', '{"poToken":1}'],
    ['a token with other characters', '{"poToken":"<script>"}'],
    ['no token', '{}'],
  ])('a provider that answers with %s leaves yt-dlp without a token, and nothing else', async (_, body) => {
    provider.answerWith((response) => void response.writeHead(200).end(body))
    expect(await fork.run(ofVisitor)).toBeNull()
    expect(provider.requests).toEqual(['POST /get_pot'])
  })

  test('a provider that hangs is waited for once in a job, and then yt-dlp goes on without it', async () => {
    provider.answerWith(() => {})
    const code = `${youtube}
result = [token(PoTokenContext.GVS, visitor_data='x', video_id='y') for _ in range(3)]
result += [token(PoTokenContext.PLAYER, video_id='y')]`
    expect(await fork.run(code)).toEqual([null, null, null, null])
    expect(provider.requests).toEqual(['POST /get_pot'])
  })

  test('yt-dlp has this one provider, and no plugins', async () => {
    const code = `${youtube}
import sys
result = [list(_pot_providers.value), [name for name in sys.modules if name.startswith('yt_dlp_plugins')]]`
    expect(await fork.run(code)).toEqual([['HaulHTTP'], []])
  })

  test('without a provider nothing is loaded for tokens', async () => {
    const hasTokens = false
    expect(await fork.run(`${youtube}\nresult = list(_pot_providers.value)`, { hasTokens })).toEqual([])
    expect(await fork.run(ofVisitor, { hasTokens })).toBeNull()
  })

  test('a fork that a page has taken over gets tokens, and nothing else of the provider', async () => {
    const code = `
import urllib.request, urllib.error
provider = _pot_host()
def ask(path, data=None):
    proxy = urllib.request.ProxyHandler({'http': resolver.params['proxy']})
    try:
        return urllib.request.build_opener(proxy).open(f'http://{provider}{path}', data).status
    except urllib.error.HTTPError as error:
        return error.code
body = json.dumps({'content_binding': 'x', 'innertube_context': {}, 'proxy': 'http://10.0.0.1', 'challenge': {'x': 1}})
result = [ask('/ping'), ask('/minter_cache'), ask('/invalidate_caches', b'{}'), ask('/get_pot', body.encode())]`
    const host = `
from yt_dlp.extractor.youtube.pot._registry import _pot_providers
def _pot_host():
    token_for = _pot_providers.value['HaulHTTP'].token_for
    return token_for.__closure__[token_for.__code__.co_freevars.index('host')].cell_contents
`
    expect(await fork.run(host + code)).toEqual([404, 404, 404, 200])
    expect(provider.requests).toEqual(['POST /get_pot'])
    expect(Object.keys(provider.asked[0] ?? {})).toEqual(['content_binding', 'bypass_cache', 'innertube_context'])
    const direct = `result = attempt(connect, ${provider.url.port})`
    expect(await fork.run(direct)).not.toBe('connected')
  })
})

test('a version of yt-dlp without this interface for providers, or with another one, works without tokens', async () => {
  const code = `
import resolve, sys, tokens
from yt_dlp.extractor.youtube import pot
from yt_dlp.extractor.youtube.pot import provider
works = []
register, provider.register_provider = provider.register_provider, None
works.append(tokens.use_provider('x.invalid'))
provider.register_provider = register
works.append(tokens.use_provider('x.invalid'))
del pot.provider
sys.modules['yt_dlp.extractor.youtube.pot.provider'] = None
works.append(tokens.use_provider('x.invalid'))
print(works)`
  expect(await inExtractor(code)).toBe('[False, True, False]')
})

describe('a page', () => {
  let target = ''
  const leadsThere = html(`<video><source src="TARGET" type="${hls}"></video>`)
  const site = extractorSite({
    '/redirects': (_, response) => void response.writeHead(302, { location: target }).end(),
    '/links': (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end(leadsThere.replace('TARGET', target)),
  })

  test.each(['/redirects', '/links'])(
    'that %s to the provider, by its address or by the name that only this job has, gets nothing from it',
    async (path) => {
      const provider = await startTokenProvider()
      const { requestToken, close } = createTokenProvider({ url: provider.url, log: () => {} })
      const egress = createEgress({
        guard: createGuard({ allow: new URL(site.origin).host, lookup: async () => [], ownHosts: ['127.0.0.1'] }),
        requestToken,
      })
      onTestFinished(async () => {
        await egress.close()
        await close()
        await provider.close()
      })
      for (target of [`${provider.url}get_pot`, `http://${egress.tokenHost}/get_pot`, `https://${egress.tokenHost}/`]) {
        await expect(site.extractor.extract(site.origin + path, egress, never), target).rejects.toThrow()
        await expect(egress.fetch(target)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' })
      }
      expect(provider.requests).toEqual([])
    },
  )
})
