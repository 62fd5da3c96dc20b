import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type DrippingSource, FILM_BYTES, startDrippingSource } from '../../doubles/origin/dripping-source.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { product } from '../../support/product/product.ts'

/** MCP as an agent uses it: the official client over HTTP, and the whole product behind it. */
const site = product()
let dripping: DrippingSource
let account: AccountClient

beforeAll(async () => {
  ;[dripping, account] = await Promise.all([startDrippingSource(), site.newClient()])
})

afterAll(() => dripping?.close())

type Version = 'auto' | 'legacy'

/** 'auto' finds that the server has the current version of the protocol, 'legacy' begins with a handshake. */
const connect = async (version: Version = 'auto', apiKey = account.apiKey) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: version } })
  const requestInit = { headers: { Authorization: `Bearer ${apiKey}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${site.haul.baseUrl}/mcp`), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n')

// biome-ignore lint/suspicious/noExplicitAny: the client checks the data against the schema of the tool.
const dataOf = (result: CallToolResult): any => result.structuredContent

const call = async (client: Client, name: string, args: object): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: { ...args } })) as CallToolResult

/** The answer to a call when its job has ended, which may take longer than a call waits on a busy machine. */
const ended = async (client: Client, name: string, args: object): Promise<CallToolResult> => {
  let result = await call(client, name, args)
  while (dataOf(result).check_again_in_seconds) {
    result = await call(client, 'check_job', { job_id: dataOf(result).job_id })
  }
  return result
}

test.each<[Version, string, string]>([
  ['auto', '2026-07-28', 'page/video.html'],
  ['legacy', '2025-11-25', 'media/hls-subtitles/master.m3u8'],
])(
  'a client that connects with "%s" speaks version %s, and looks at captions, buys them for one cent and reads them',
  async (version, spoken, path) => {
    const client = await connect(version)
    expect(client.getNegotiatedProtocolVersion()).toBe(spoken)
    expect(client.getInstructions()).toContain('transcribe')
    // From now on the client checks the data of each tool against its schema.
    expect((await client.listTools()).tools).toHaveLength(6)
    const url = site.media(path)
    const looked = await call(client, 'look', { url })
    expect(dataOf(looked)).toMatchObject({ is_playlist: false, transcribe: { captions: 0.01 } })

    const before = await account.account()
    const transcribed = await ended(client, 'transcribe', { url })
    const { job_id, text, charged_dollars, available_dollars } = dataOf(transcribed)
    expect(text).toMatch(/^\[\d+(?:\.\d)?\] \S/)
    expect(textOf(transcribed)).toContain(text)
    const after = await account.account()
    expect([charged_dollars, available_dollars]).toEqual([0.01, after.availableDollars])
    expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(0.01, 6)
    const page = await call(client, 'read_transcript', { job_id })
    expect(dataOf(page).text).toBe(text)
  },
)

test('a client with a wrong key cannot connect', async () => {
  await expect(connect('auto', 'haul_wrong')).rejects.toThrow()
  await expect(connect('legacy', 'haul_wrong')).rejects.toThrow()
})

test('a job is followed with its progress, and answered when it ends', async () => {
  const client = await connect()
  await client.listTools()
  const job_id = await account.start({ url: `${dripping.url}/slow.mp4` })
  const isDownloading = Promise.withResolvers<void>()
  const onprogress = ({ message = '' }) => {
    if (message.startsWith('downloading')) isDownloading.resolve()
  }
  const checking = client.callTool({ name: 'check_job', arguments: { job_id } }, { onprogress })
  await Promise.race([isDownloading.promise, checking])
  dripping.release()
  const result = (await checking) as CallToolResult
  expect(dataOf(result)).toMatchObject({ status: 'completed', file: { size_bytes: FILM_BYTES } })
})
