import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type DevFile, type Haul, startHaul } from '../../../scripts/start/haul.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { type Receiver, startReceiver } from '../../doubles/webhook-receiver.ts'
import { freePort } from '../loopback.ts'
import { type AccountClient, type ApiClient, createApiClient, type NewAccount, newAccountClient } from './api-client.ts'
import { startInOwnServer } from './own-server.ts'

/** Settings of a product that is started for one file. */
export interface OwnSettings {
  engines?: number
  /** What runs the Worker. Default: the server for one's own machine, which starts sooner. */
  under?: 'wrangler'
  /** The real model, a program that speaks the same protocol, or none, which is the default. */
  speech?: 'whisper' | 'scripted' | 'off'
  env?: Record<string, string>
}

/** What the tests of one file have: the product that all files share, an origin and a webhook receiver. */
export interface Product<Running extends DevFile = DevFile> {
  readonly haul: Running
  readonly origin: Origin
  readonly receiver: Receiver
  /** A folder for the tests of this file. */
  readonly folder: string
  /** A client with a new account, so that tests do not see each other's jobs. */
  newClient(account?: NewAccount): Promise<AccountClient>
  /** A client, and a path of the receiver that no other test uses. */
  newPair(): Promise<[AccountClient, string]>
  newPath(): string
  clientWith(apiKey: string): ApiClient
  operator(): ApiClient
  /** A URL of the origin. Default: a film of 560 kB. */
  media(path?: string): string
  /** Starts an import that sends its webhook to a path of the receiver. */
  start(client: AccountClient, path: string): Promise<string>
  /** The fastest way to an event: the job ends before a step starts. */
  startAndCancel(client: AccountClient, path: string): Promise<string>
}

/** A product that is started for one file, whose programs its tests may kill. */
export interface OwnProduct extends Product<Haul> {
  /** Stops the product, and starts it again with the same state and port. */
  restart(whileStopped?: () => Promise<void>): Promise<void>
}

export const product = (): Product => withServers(() => inject('product').haul)

/** Few of these tests import a page, and yt-dlp takes more CPU time to start than the rest of an engine. */
const ENGINE_WARM_UP = 'off'

/** The server for one's own machine starts sooner than `npm start`. On a busy machine it still needs a while. */
const START_TIMEOUT_MS = 120_000

/** `settings` is called when the origin and the receiver run, and may start other servers. */
export const ownProduct = (settings: () => OwnSettings | Promise<OwnSettings> = () => ({})): OwnProduct => {
  const { ownServer, ports, scriptedSpeech } = inject('product')
  const speechSettings = { whisper: {}, scripted: scriptedSpeech, off: { HAUL_SPEECH: 'off' } }
  let haul: Haul
  let chosen: OwnSettings
  const site = withServers(() => haul)

  const start = async (port: number) => {
    const { engines, under, speech = 'off', env } = chosen
    haul = await startHaul({
      port,
      engines,
      stateDir: join(site.folder, 'state'),
      env: {
        ...process.env,
        ENGINE_WARM_UP,
        ...speechSettings[speech],
        ALLOW_PRIVATE_HOSTS: ports.hosts.join(),
        ...env,
      },
      ...(under === 'wrangler' ? {} : { startWorker: startInOwnServer(ownServer) }),
    })
  }

  beforeAll(async () => {
    chosen = await settings()
    await start(await freePort())
  }, START_TIMEOUT_MS)

  afterAll(() => haul?.stop())

  return Object.assign(site, {
    restart: async (whileStopped = async () => {}) => {
      await haul.stop()
      await whileStopped()
      await start(Number(new URL(haul.baseUrl).port))
    },
  })
}

const withServers = <Running extends DevFile>(running: () => Running): Product<Running> => {
  let origin: Origin
  let receiver: Receiver
  let folder: string
  let paths = 0

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haul-product-'))
    ;[origin, receiver] = await Promise.all([startOrigin(), startReceiver()])
  })

  afterAll(async () => {
    await Promise.all([origin?.close(), receiver?.close()])
    await rm(folder, { recursive: true, force: true })
  })

  const clientWith = (apiKey: string) => createApiClient(running().baseUrl, apiKey)
  const newClient = (account?: NewAccount) => newAccountClient(running(), account)
  const newPath = () => `/hook/${++paths}`
  const media = (path = 'media/faststart.mp4') => `${origin.url}/${path}`
  const start = (client: AccountClient, path: string) =>
    client.start({ url: media(), webhookUrl: `${receiver.url}${path}` })

  return {
    get haul() {
      return running()
    },
    get origin() {
      return origin
    },
    get receiver() {
      return receiver
    },
    get folder() {
      return folder
    },
    newClient,
    newPair: async () => [await newClient(), newPath()],
    newPath,
    clientWith,
    operator: () => clientWith(running().adminToken),
    media,
    start,
    startAndCancel: async (client, path) => {
      const jobId = await start(client, path)
      await client.remove(`/jobs/${jobId}`)
      return jobId
    },
  }
}
