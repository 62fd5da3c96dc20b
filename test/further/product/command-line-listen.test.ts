import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Received, respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { CTRL_C, closedPort, type InstalledHaul, installHaul } from '../../support/product/command-line.ts'
import { ownProduct } from '../../support/product/product.ts'
import { verifyWebhook } from '../../support/product/verify-webhook.ts'

/** `haul listen`, against the whole product, over a connection that can be cut. */
const site = ownProduct()
let command: InstalledHaul
let client: AccountClient
let line: Line

beforeAll(async () => {
  command = await installHaul()
  line = await startLine(() => Number(new URL(site.haul.baseUrl).port))
  // If the client has changed, it is compiled first.
}, 60_000)
afterAll(async () => {
  line?.close()
  await command?.remove()
})

beforeEach(async () => {
  client = await site.newClient()
})

const listen = (...args: string[]) =>
  command.start(['listen', ...args], { env: { HAUL_API_KEY: client.apiKey, HAUL_URL: line.url } })

/** The fastest way to an event: the job ends before a step starts. */
const canceledJob = async (): Promise<string> => {
  const jobId = await client.start({ url: site.media() })
  await client.remove(`/jobs/${jobId}`)
  return jobId
}

test('each event is one line, and is forwarded as its webhook would come, whether or not the job has a webhookUrl', async () => {
  const path = site.newPath()
  const listening = listen('--forward-to', `${site.receiver.url}${path}`)
  await listening.printed(/^Listening/m)
  const secret = /whsec_\S+/.exec(listening.output().stderr)?.[0] ?? ''
  const jobId = await client.start({ url: site.media() })
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  const event = verifyWebhook(secret, received)
  expect(event).toMatchObject({ type: 'import.completed', data: { jobId, status: 'completed' } })
  expect(received.headers['webhook-id']).toMatch(/^evt_/)
  expect(received.headers['content-type']).toBe('application/json')
  expect(secret).toBe((await client.get<{ secret: string }>('/webhooks/secret')).secret)
  await listening.printed(/-> 200$/m)
  listening.kill('SIGINT')
  const { stdout, exitCode } = await listening.ended
  expect(exitCode).toBe(130)
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}job\\.started +${jobId} `)),
    expect.stringMatching(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}import\\.completed +${jobId} {2}faststart {2}-> 200$`)),
  ])
  expect(site.receiver.at(path)).toHaveLength(1)
})

test('the body is the one that the webhook of the job has', async () => {
  const [own, forwarded] = [site.newPath(), site.newPath()]
  const listening = listen('--forward-to', `${site.receiver.url}${forwarded}`)
  await listening.printed(/^Listening/m)
  await site.start(client, own)
  const [webhook] = (await site.receiver.wait(own, 1)) as [Received]
  const [copy] = (await site.receiver.wait(forwarded, 1)) as [Received]
  expect(JSON.parse(copy.body)).toEqual(JSON.parse(webhook.body))
  expect(copy.headers['webhook-id']).toBe(webhook.headers['webhook-id'])
  listening.kill('SIGINT')
  await listening.ended
})

test('a receiver that is down or refuses is named, and the next event is forwarded', async () => {
  const path = site.newPath()
  site.receiver.behave(path, respond(500))
  const listening = listen('--forward-to', `${site.receiver.url}${path}`)
  await listening.printed(/^Listening/m)
  await canceledJob()
  await listening.printed(/import\.failed .* -> 500$/m)
  listening.kill('SIGINT')
  await listening.ended
  const lost = listen('--forward-to', `localhost:${await closedPort()}/hooks`)
  await lost.printed(/^Listening/m)
  await canceledJob()
  await lost.printed(/import\.failed .* -> connection refused$/m)
  await canceledJob()
  await lost.printed(/-> connection refused[\s\S]*-> connection refused$/m)
  lost.kill('SIGINT')
  await lost.ended
})

test('--json prints the events as the API sends them, one in a line', async () => {
  const listening = listen('--json')
  await listening.printed(/^Listening/m)
  const jobId = await canceledJob()
  await listening.printed(/import\.failed/)
  listening.kill('SIGINT')
  const lines = (await listening.ended).stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(lines.at(-1)).toMatchObject({ type: 'import.failed', data: { jobId, code: 'CANCELED' } })
  expect(lines.at(-1).id).toMatch(/^evt_/)
})

test('on a terminal Ctrl-C ends it', async () => {
  const listening = command.startInTerminal(['listen'], { env: { HAUL_API_KEY: client.apiKey, HAUL_URL: line.url } })
  await listening.printed(/Listening/)
  listening.type(CTRL_C)
  expect((await listening.ended).exitCode).toBe(130)
})

test('after a restart of the product come the events that happened meanwhile, each once', {
  // The Worker restarts, and the pauses between attempts to connect grow.
  timeout: 60_000,
}, async () => {
  const path = site.newPath()
  const listening = listen('--forward-to', `${site.receiver.url}${path}`)
  await listening.printed(/^Listening/m)
  const first = await canceledJob()
  await listening.printed(/import\.failed .* -> 200$/m)
  line.cut()
  const unseen = await canceledJob()
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  const alsoUnseen = await canceledJob()
  line.restore()
  await listening.printed(/^Connected again/m)
  const seen = await canceledJob()
  await site.receiver.wait(path, 4)
  const jobIds = site.receiver.at(path).map(({ body }) => JSON.parse(body).data.jobId)
  expect(jobIds).toEqual([first, unseen, alsoUnseen, seen])
  listening.kill('SIGINT')
  await listening.ended
})

/** A TCP connection to the product that can be cut, as the network or a proxy cuts it. */
interface Line {
  url: string
  cut(): void
  restore(): void
  close(): void
}

const startLine = async (port: () => number): Promise<Line> => {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(port(), '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      isCut = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
