import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage } from '../../scripts/image/build.ts'
import { ensurePodmanCompose } from '../../scripts/setup/for-tests.mjs'
import { choosePort } from '../../scripts/start/ports.ts'
import { responds } from '../../scripts/start/ready.ts'
import { makeFixtures } from '../doubles/origin/fixtures.ts'
import { startOrigin } from '../doubles/origin/origin.ts'
import { createApiClient } from '../support/product/api-client.ts'
import { createProject } from './project.ts'

/**
 * Builds both images with buildah, and runs compose.yaml with podman-compose: a first start, an import by one of two
 * engines, a backup, a restore into new volumes, and the file of the import from there. Needs Linux, root,
 * podman-compose (PyPI), and Debian's packages buildah, podman, runc, netavark and aardvark-dns.
 */
const START_MS = 120_000

const report = async (what: string, work: () => Promise<unknown>): Promise<void> => {
  const since = performance.now()
  await work()
  console.log(`${what}: ${((performance.now() - since) / 1000).toFixed(1)} s`)
}

process.env.PATH = `${await ensurePodmanCompose(console.log)}:${process.env.PATH}`
await report('engine image', () => buildImage('localhost/haul-engine'))
await report('haul image', () => buildImage('localhost/haul', 'self-host/Dockerfile'))
await makeFixtures()

const folder = await mkdtemp(join(tmpdir(), 'haul-compose-'))
const port = await choosePort(0, 'PORT')
const baseUrl = `http://127.0.0.1:${port}`
const origin = await startOrigin()
const project = await createProject({ folder, port })
const backup = join(folder, 'haul.tar')
const ready = () => responds(`${baseUrl}/health`, AbortSignal.timeout(START_MS))

// Containers cannot reach 127.0.0.1 of this machine.
const gateway = createServer((client) => {
  const server = connect(Number(new URL(origin.url).port), '127.0.0.1')
  for (const socket of [client, server]) socket.on('error', () => {})
  client.pipe(server).pipe(client)
})

try {
  await report('first start', async () => {
    await project.compose('up', '-d', '--no-build', '--scale', 'engine=2')
    await ready()
  })
  gateway.listen(project.originPort, project.gateway)
  await once(gateway, 'listening')
  const adminToken = (await project.compose('exec', '-T', 'haul', 'admin-token')).trim()
  const operator = createApiClient(baseUrl, adminToken)
  const created = await operator.request('POST', '/admin/accounts', { name: 'test', creditDollars: 10 })
  const client = createApiClient(baseUrl, created.body.data.apiKey)

  let jobId = ''
  await report('import', async () => {
    jobId = await client.start({ url: `http://${project.originHost}/media/faststart.mp4` })
    assert.equal((await client.ended(jobId)).status, 'completed')
  })
  await report('backup', () => project.shell(`exec -T haul backup > ${backup}`))
  await report('restore', async () => {
    await project.down()
    await project.shell(`run --rm -T --no-deps haul restore < ${backup}`)
  })
  await report('start with restored data', async () => {
    await project.compose('up', '-d', '--no-build')
    await ready()
  })
  const { result } = await client.read(jobId)
  const { pathname, search } = new URL(result.mediaUrl)
  const media = Buffer.from(await (await fetch(baseUrl + pathname + search)).arrayBuffer())
  assert.equal(createHash('sha256').update(media).digest('hex'), result.sha256)
  console.log(`${media.length} bytes of the import are as they were`)
} finally {
  gateway.close()
  await origin.close()
  await project.down()
  await rm(folder, { recursive: true, force: true })
}
