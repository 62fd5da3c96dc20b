import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Runtime, startRuntime } from '../../../../self-host/worker/runtime.ts'

/** A Worker that fetches what its caller names, to see how far it gets. */
const SCRIPT = `export default { fetch: async (request) => {
  try { return new Response(await (await fetch(new URL(request.url).searchParams.get('url'))).text()) }
  catch (error) { return new Response(String(error), { status: 502 }) }
} }`

let folder: string
let runtime: Runtime
const server = createServer((_, response) => void response.end('reached'))
let port: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-runtime-'))
  await writeFile(join(folder, 'index.js'), SCRIPT)
  await writeFile(join(folder, 'index.html'), 'asset')
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  port = (server.address() as { port: number }).port
  const worker = {
    modules: true,
    modulesRoot: folder,
    scriptPath: join(folder, 'index.js'),
    compatibilityDate: '2026-10-01',
    bindings: {},
    assets: { directory: folder, routerConfig: { has_user_worker: true } },
    r2Buckets: {},
    d1Databases: { DB: { id: 'test' } },
  }
  runtime = await startRuntime({
    build: { worker, migrations: [{ name: '0001.sql', statements: ['CREATE TABLE a (b)'] }] },
    storage: join(folder, 'storage'),
    variables: {},
    s3: { accessKeyId: 'id', secretAccessKey: 'key' },
    toolsHost: 'haul',
    reachable: ['public', '127.83.0.1/32'],
  })
})

afterAll(async () => {
  await runtime?.stop()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

test.each([
  ['its engines', '127.83.0.1', 200],
  ['this machine', '127.0.0.1', 502],
  ['this machine by a name, which a name server could have changed after a check', 'localhost', 502],
  ['a private network', '10.0.0.1', 502],
  ['the metadata service of clouds', '169.254.169.254', 502],
])('the Worker asks for %s (%s): %i', async (_, host, status) => {
  const target = new URL(runtime.workerUrl)
  target.searchParams.set('url', `http://${host}:${port}/`)
  target.pathname = '/fetch'
  const response = await fetch(target)
  expect([response.status, (await response.text()) === 'reached']).toEqual([status, status === 200])
})
