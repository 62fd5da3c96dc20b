import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isolation, run } from '../../../../container/sandbox/process.ts'
import { python } from '../../steps/step-harness.ts'
import { extractorSite, importExtractor, never } from './site.ts'

const site = extractorSite()

describe('the network of the extractor', () => {
  test('neither a redirect nor a link reaches a private address', async () => {
    await expect(site.extract('/redirect-to-forbidden')).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    await expect(site.extract('/link-to-forbidden')).rejects.toHaveProperty('code')
    await expect(site.extractor.extract(`${site.forbidden}/one`, site.egress, never)).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    })
    expect(site.forbiddenRequests).toBe(0)
  })

  test('a local file is not a page', async () => {
    const file = site.extractor.extract('file:///etc/passwd', site.egress, never)
    await expect(file).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  })

  test('a fork has no network, no capabilities and cannot write files', async (context) => {
    if ((await isolation()).network === 'none') return context.skip()
    const script = `
${importExtractor}
import confine, socket, tempfile, urllib.request
confine.leave_network(); confine.drop_privileges(); confine.limit(5, 512)
print([name for _, name in socket.if_nameindex()])
try: urllib.request.urlopen(${JSON.stringify(`${site.forbidden}/one`)}); print('reached')
except OSError as error: print(error.reason.strerror)
print([line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapPrm', 'CapEff', 'CapBnd')])
try: tempfile.TemporaryFile(buffering=0).write(b'x'); print('wrote')
except OSError: print('cannot write')`
    // Without the sandbox, so that the network is missing only because the fork has left it.
    const { stdout } = await promisify(execFile)(python, ['-B', '-c', script], { timeout: 20_000 })
    expect(stdout.split('\n')).toEqual([
      "['lo']",
      'Connection refused',
      `['${'0'.repeat(16)}', '${'0'.repeat(16)}', '${'0'.repeat(16)}']`,
      'cannot write',
      '',
    ])
  })
})

test('yt-dlp finds Node for player scripts, confined like the fork', async () => {
  const script = `
${importExtractor}
import confine, os, resolve
resolver = resolve.Resolver(node=${JSON.stringify(process.execPath)})
confine.leave_network(); confine.drop_privileges(); confine.limit(20, 2048); os.environ.clear()
info = resolver._js_runtimes['node'].info
print(info.version, info.supported)`
  const { stdout } = await run(python, ['-B', '-c', script], { timeoutMs: 30_000, capabilities: 'kept' })
  expect(stdout.trim()).toBe(`${process.version.slice(1)} True`)
})
