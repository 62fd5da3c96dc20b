import { describe, expect, test } from 'vitest'
import { isolation, run } from '../../container/process.ts'
import { pages } from './extractor-pages.ts'
import { extractorSite, importingOwn, never } from './extractor-site.ts'
import { python } from './step-run.ts'

const site = extractorSite()

describe('the way out', () => {
  test('neither a redirect nor a link leads inside', async () => {
    await expect(site.extract('/inside')).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    await expect(site.extract('/inside.m3u8')).rejects.toHaveProperty('code')
    await expect(site.extractor.extract(`${site.inside}/one`, site.egress, never)).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
    })
    expect(site.insideVisits).toBe(0)
  })

  test('a file of our own is none of its pages', async () => {
    const file = site.extractor.extract('file:///etc/passwd', site.egress, never)
    await expect(file).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  })

  test('what it reads is counted', async () => {
    const before = site.egress.receivedBytes
    await site.extract('/one')
    expect(site.egress.receivedBytes - before).toBe(pages['/one']?.[1].length)
  })

  test('a fork has no network, no privilege and no file to write', async (context) => {
    if ((await isolation()).network === 'none') return context.skip()
    const script = `
${importingOwn}
import confine, socket, tempfile, urllib.request
confine.leave_network(); confine.drop_privileges(); confine.limit(5, 512)
print([name for _, name in socket.if_nameindex()])
try: urllib.request.urlopen(${JSON.stringify(`${site.inside}/one`)}); print('reached')
except OSError as error: print(error.reason.strerror)
print([line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapPrm', 'CapEff', 'CapBnd')])
try: tempfile.TemporaryFile(buffering=0).write(b'x'); print('wrote')
except OSError: print('wrote nothing')`
    const { stdout } = await run(python, ['-B', '-c', script], {
      timeoutMs: 20_000,
      network: 'host',
      capabilities: 'kept',
    })
    expect(stdout.split('\n')).toEqual([
      "['lo']",
      'Connection refused',
      `['${'0'.repeat(16)}', '${'0'.repeat(16)}', '${'0'.repeat(16)}']`,
      'wrote nothing',
      '',
    ])
  })
})

test('the warm process has Node for the scripts of players, confined like itself', async () => {
  const script = `
${importingOwn}
import confine, os, resolve
resolver = resolve.Resolver(node=${JSON.stringify(process.execPath)})
confine.leave_network(); confine.drop_privileges(); confine.limit(20, 2048); os.environ.clear()
info = resolver._js_runtimes['node'].info
print(info.version, info.supported)`
  const { stdout } = await run(python, ['-B', '-c', script], { timeoutMs: 30_000, capabilities: 'kept' })
  expect(stdout.trim()).toBe(`${process.version.slice(1)} True`)
})
